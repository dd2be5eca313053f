import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { ignoring } from "../../contract/errno.js";

const descriptors = "/proc/self/fd";

/** What this process has open below a directory, where the system tells. */
export function openBelow(dir: string): string[] {
  if (!existsSync(descriptors)) return [];
  return readdirSync(descriptors).flatMap((fd) => {
    // The descriptor of this listing is closed by now.
    const path = ignoring("ENOENT", () => readlinkSync(`${descriptors}/${fd}`));
    return path?.startsWith(`${dir}/`) === true ? [path] : [];
  });
}
