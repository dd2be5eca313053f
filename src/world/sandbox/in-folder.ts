import { constants } from "node:fs";
import { open, readlink } from "node:fs/promises";

/**
 * Do something in a folder that a running job could swap for a link: the path is opened once, and `act` gets
 * a name for that very folder. Where the path leads elsewhere by now, nothing is done.
 */
export async function inFolder(path: string, act: (folder: string) => Promise<unknown>): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(path, flags).catch(() => undefined);
  if (handle === undefined) return;
  try {
    const folder = `/proc/self/fd/${handle.fd}`;
    if ((await readlink(folder)) === path) await act(folder).catch(() => {});
  } finally {
    await handle.close();
  }
}
