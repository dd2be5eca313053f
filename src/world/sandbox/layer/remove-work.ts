import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../../../contract/errno.js";
import { layerNames } from "./layer-script.js";

/**
 * Remove the kernel's own folder of a layer, which has folders that their owner cannot read. It is of no use after the
 * mount, and prevents that the layer is mounted again.
 */
export async function removeWork(dir: string): Promise<void> {
  const work = join(dir, layerNames.work);
  for (const name of ["work", "work/incompat", "work/incompat/volatile"]) {
    if (!(await open(join(work, name)))) break;
  }
  await rm(work, { recursive: true, force: true });
}

/** Whether the folder is there. */
async function open(folder: string): Promise<boolean> {
  try {
    await chmod(folder, 0o700);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}
