import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { attempt } from "../../../contract/errno.js";

/**
 * Act in a folder that a running job could replace with a link: the folder is opened once, and `act` gets a path to
 * exactly that folder. `undefined` if the path is not a folder or now leads elsewhere.
 */
export function withFolder<T>(path: string, act: (folder: string) => T): T | undefined {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const fd = attempt(() => openSync(path, flags));
  if (fd === undefined) return undefined;
  try {
    const folder = `/proc/self/fd/${fd}`;
    return readlinkSync(folder) === path ? act(folder) : undefined;
  } finally {
    closeSync(fd);
  }
}
