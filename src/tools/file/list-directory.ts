import type { ToolContext } from "../../contract/context.js";
import type { WalkEntry } from "../../contract/ports/files.js";

/** A directory as text. */
export interface DirectoryListing {
  readonly content: string;
  readonly truncated: boolean;
  readonly note?: string;
}

const maxEntries = 1000;

/** List the entries of one directory, one per line. */
export async function listDirectory(path: string, { files }: ToolContext): Promise<DirectoryListing> {
  const lines: string[] = [];
  let ignored = 0;
  for await (const batch of files.walk(path, { depth: 1, stats: true })) {
    lines.push(...batch.entries.map(entryLine));
    ignored = batch.ignored;
    if (lines.length > maxEntries) break;
  }
  const truncated = lines.length > maxEntries;
  const content = lines.slice(0, maxEntries).join("\n");
  const note = noteOn({ count: lines.length, truncated, ignored });
  return { content, truncated, ...(note !== undefined && { note }) };
}

/** An entry on one line: its name, a suffix for its type, the size of a file. */
export function entryLine({ name, type, size }: Pick<WalkEntry, "name" | "type" | "size">): string {
  if (type === "directory") return `${name}/`;
  if (type === "symlink") return `${name}@`;
  return size === undefined ? name : `${name}  ${humanSize(size)}`;
}

/** A size in a readable unit. */
export function humanSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = -1;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 10 ? value.toFixed(0) : value.toFixed(1)} ${units[unit] ?? "B"}`;
}

function noteOn(found: { count: number; truncated: boolean; ignored: number }): string | undefined {
  if (found.truncated)
    return `The directory has more than ${maxEntries} entries; use list_files with a pattern to see others.`;
  if (found.ignored > 0)
    return `${found.ignored} ignored entries are not shown; use list_files with include_ignored to see them.`;
  return found.count === 0 ? "The directory is empty." : undefined;
}
