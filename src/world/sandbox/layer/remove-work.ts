import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { layerNames } from "./layer-script.js";

/**
 * Remove the kernel's own folder of a layer, which has folders that their owner cannot read. It is of no use after the
 * mount, and prevents that the layer is mounted again.
 */
export function removeWork(dir: string): void {
  const work = join(dir, layerNames.work);
  for (const name of ["work", "work/incompat", "work/incompat/volatile"]) {
    if (existsSync(join(work, name))) chmodSync(join(work, name), 0o700);
  }
  rmSync(work, { recursive: true, force: true });
}
