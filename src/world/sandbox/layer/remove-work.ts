import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { layerNames } from "./layer-script.js";

/**
 * Remove the kernel's own folder of a layer, in which its owner cannot read a folder. What is in it is of no use after
 * the mount, and prevents that the layer is mounted again.
 */
export function removeWork(dir: string): void {
  const work = join(dir, layerNames.work);
  if (existsSync(join(work, "work"))) chmodSync(join(work, "work"), 0o700);
  rmSync(work, { recursive: true, force: true });
}
