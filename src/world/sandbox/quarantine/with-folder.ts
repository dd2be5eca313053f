import { closeSync, constants, openSync, readlinkSync } from "node:fs";

/**
 * Do something in a folder that a running job could swap for a link: the path is opened once, and `act` gets a
 * name for that very folder. `undefined` where the path is no folder or leads elsewhere by now.
 */
export function withFolder<T>(path: string, act: (folder: string) => T): T | undefined {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let fd: number;
  try {
    fd = openSync(path, flags);
  } catch {
    return undefined;
  }
  try {
    const folder = `/proc/self/fd/${fd}`;
    return readlinkSync(folder) === path ? act(folder) : undefined;
  } finally {
    closeSync(fd);
  }
}
