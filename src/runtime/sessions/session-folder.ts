import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { SessionFolder } from "../../contract/session.js";

/** Keep the folder that the commands of a session start in. It is not stored: another process starts in the workspace. */
export function createSessionFolder(workspace: () => string): SessionFolder {
  let path: string | undefined;
  let previous: string | undefined;
  let lost: string | undefined;
  const isThere = (folder: string): boolean =>
    statSync(resolve(workspace(), folder), { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    get path() {
      // Otherwise no command could start any more, not even one that leaves the folder.
      if (path !== undefined && !isThere(path)) {
        lost = path;
        path = undefined;
      }
      return path;
    },
    get previous() {
      return previous;
    },
    get lost() {
      return lost;
    },
    enter(next) {
      previous = path;
      path = next;
      lost = undefined;
    },
  };
}
