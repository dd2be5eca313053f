import { lstatSync, type Dir, type Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import type { DirectoryEntry, EntryType } from "../../contract/ports/files.js";
import { systemFailure, withPathAsync } from "./file-errors.js";
import { entryTypeOf } from "./file-stat.js";
import { type GuardDeps, openExisting } from "./locate.js";
import type { Handle } from "./opener.js";
import { joinName, showName } from "./path-text.js";

export interface RawEntry {
  readonly name: Buffer;
  readonly type: EntryType;
}

/** List a directory as a stream, in the order of the disk. Links are reported, not followed. */
export async function* listDirectory(
  deps: GuardDeps,
  text: string,
  display: (real: string) => string,
): AsyncGenerator<DirectoryEntry> {
  const handle = openExisting(deps, text, { access: "list" });
  try {
    if (!handle.stat.isDirectory()) throw systemFailure(text, "ENOTDIR");
    const base = display(handle.real);
    const directory = await withPathAsync(text, () => openStream(handle));
    const judged = deps.rules.mayDenyBelow(handle.real);
    for await (const entry of rawEntries(directory, handle)) {
      const name = showName(entry.name);
      const access = entry.type === "directory" ? "list" : "read";
      if (judged && !deps.rules.judge(joinName(handle.real, name), access).allowed) continue;
      yield { name, path: base === "." ? name : joinName(base, name), type: entry.type };
    }
  } finally {
    handle.close();
  }
}

/** All entries of an open directory, with their names as bytes. */
export async function readEntries(handle: Handle): Promise<RawEntry[]> {
  const entries: RawEntry[] = [];
  for await (const entry of rawEntries(await openStream(handle), handle)) entries.push(entry);
  return entries;
}

function openStream(handle: Handle): Promise<Dir> {
  // Node's types know only text names here; "buffer" preserves names that are not valid UTF-8.
  return opendir(handle.self, { encoding: "buffer" as BufferEncoding, bufferSize: 256 });
}

async function* rawEntries(directory: Dir, handle: Handle): AsyncGenerator<RawEntry> {
  for await (const entry of directory) {
    const name = entry.name as unknown as Buffer;
    yield { name, type: entryType(entry, handle, name) };
  }
}

/** Some file systems do not store the type in directory entries. */
function entryType(entry: Dirent, handle: Handle, name: Buffer): EntryType {
  const type = entryTypeOf(entry);
  if (type !== "other") return type;
  const stat = lstatSync(handle.at(name), { throwIfNoEntry: false });
  return stat === undefined ? "other" : entryTypeOf(stat);
}
