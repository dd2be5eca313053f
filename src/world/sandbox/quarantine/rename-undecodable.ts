import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { SensitivePath } from "./sensitive-paths.js";
import { withFolder } from "./with-folder.js";

const replaced = "\uFFFD";

/**
 * Rename folders with sensitive paths whose names are not valid UTF-8, because such paths cannot be judged or moved.
 * Returns the previous names, with replacement characters.
 */
export function renameUndecodable(
  sensitive: readonly SensitivePath[],
  isKnown: (path: string) => boolean,
): string[] {
  const paths = new Set(
    sensitive
      .filter(({ path }) => path.includes(replaced) && !isKnown(path))
      .map(({ path }) => folderOf(path)),
  );
  return [...paths].filter(renameIn);
}

/** The path up to the first name that is not valid UTF-8. */
function folderOf(path: string): string {
  const end = path.indexOf("/", path.indexOf(replaced));
  return end < 0 ? path : path.slice(0, end);
}

function renameIn(path: string): boolean {
  const cut = path.lastIndexOf("/");
  const name = path.slice(cut + 1);
  const found = withFolder(path.slice(0, cut) || "/", (folder) => {
    const raw = readdirSync(folder, { encoding: "buffer" }).filter(
      (each) => each.toString() === name && !Buffer.from(name).equals(each),
    );
    for (const each of raw) {
      const place = Buffer.concat([Buffer.from(`${folder}/`), each]);
      renameSync(
        place,
        join(folder, `${name.replaceAll(replaced, "_").slice(0, 150)}-${each.toString("hex").slice(0, 80)}`),
      );
    }
    return raw.length > 0;
  });
  return found === true;
}
