import { isIgnored, toByteString } from "./ignore/ignore-chain.js";
import { isTooLong, joinName } from "./path-text.js";
import type { ScannedEntry } from "./walk-directory.js";
import type { Level, Walk } from "./walk-state.js";

/** Characters of a path that cannot be too many, however many bytes each takes. */
const SAFE_LENGTH = 1000;

/** Whether an entry is listed; directories that are to be entered are noted on the way. */
export function isWanted(walk: Walk, level: Level, entry: ScannedEntry): boolean {
  const { request, deps } = walk;
  const { shown: name, type } = entry;
  const directory = type === "directory";
  if (request.ignore !== false) {
    if (entry.name === ".git") return false;
    if (isIgnoredEntry(level, entry)) {
      walk.ignored += 1;
      return false;
    }
  }
  if (level.mayBeDenied || directory) {
    if (!deps.rules.judge(joinName(level.real, name), "read").allowed) return false;
  }
  if (level.real.length + name.length > SAFE_LENGTH && isTooLong(joinName(level.real, name))) {
    walk.unreachable += 1;
    return false;
  }
  if (directory && shouldEnter(walk, level, name)) level.subdirectories.push(entry);
  return request.wants === undefined || request.wants({ name, path: level.within + name, type });
}

function isIgnoredEntry(level: Level, entry: ScannedEntry): boolean {
  if (level.chain === undefined) return false;
  return isIgnored(level.chain, level.bytes, {
    name: nameAsBytes(entry),
    directory: entry.type === "directory",
  });
}

/** An entry's name as the disk has it, as a string of bytes. */
export function nameAsBytes({ name }: ScannedEntry): string {
  return typeof name === "string" ? toByteString(name) : name.toString("latin1");
}

/** Put entries into the batch, with their sizes and times where those are asked for. */
export function addToBatch(walk: Walk, level: Level, entries: readonly ScannedEntry[]): void {
  const { batch, entryStats } = walk;
  const stats = entryStats?.statEntries(level, { entries, levels: walk.levels });
  for (const [at, { shown: name, type }] of entries.entries()) {
    const path = level.shown + name;
    if (stats === undefined) {
      batch.push({ name, path, type });
      continue;
    }
    const stat = stats[at];
    // It may be gone by now.
    if (stat === null) continue;
    const { size = 0, mtimeMs = 0, ctimeMs = 0 } = stat ?? {};
    const entry = { name, path, type, size, modified: Math.floor(mtimeMs) };
    batch.push(walk.request.changes === true ? { ...entry, changed: ctimeMs } : entry);
  }
}

function shouldEnter({ request, levels }: Walk, level: Level, name: string): boolean {
  if (levels.length >= (request.depth ?? Number.POSITIVE_INFINITY)) return false;
  return request.enters === undefined || request.enters(level.within + name);
}
