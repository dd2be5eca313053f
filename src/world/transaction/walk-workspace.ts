import { opendir } from "node:fs/promises";
import { toPathText, toSystemPath } from "../files/raw-path.js";

/** Everything below a folder, as texts of absolute paths (`toPathText`); links are not followed, and what cannot be read is left out. */
export async function* walkWorkspace(folder: string): AsyncGenerator<string> {
  for (const folders = [folder]; folders.length > 0;) {
    const at = folders.pop() ?? "";
    // The types do not know that names can be read as bytes.
    const options = { encoding: "buffer" as BufferEncoding };
    for await (const entry of await opendir(toSystemPath(at), options).catch(noEntries)) {
      const path = `${at}/${toPathText(entry.name as unknown as Buffer)}`;
      if (entry.isDirectory()) folders.push(path);
      yield path;
    }
  }
}

function noEntries(): [] {
  return [];
}
