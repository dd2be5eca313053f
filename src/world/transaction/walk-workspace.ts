import { opendir } from "node:fs/promises";
import { join } from "node:path";

/** Everything below a folder, as absolute paths; links are not followed, and what cannot be read is left out. */
export async function* walkWorkspace(folder: string): AsyncGenerator<string> {
  for (const folders = [folder]; folders.length > 0;) {
    const at = folders.pop() ?? "";
    for await (const entry of await opendir(at).catch(noEntries)) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      yield path;
    }
  }
}

function noEntries(): [] {
  return [];
}
