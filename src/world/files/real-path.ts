import { realpathSync } from "node:fs";
import path from "node:path";

/** The real path of the longest existing part of an absolute path, with the rest appended as written. */
export function realPathOf(absolute: string): string {
  const rest: string[] = [];
  let head = absolute;
  for (;;) {
    try {
      return path.join(realpathSync.native(head), ...rest);
    } catch {
      const parent = path.dirname(head);
      if (parent === head) return absolute;
      rest.unshift(path.basename(head));
      head = parent;
    }
  }
}
