import { setImmediate as nextTurn } from "node:timers/promises";
import { errnoOf } from "../../contract/errno.js";
import type { WalkBatch } from "../../contract/ports/files.js";
import { fileConflict, systemFailure, throwIfAborted } from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import type { GuardDeps } from "./locate.js";
import type { Handle } from "./opener.js";
import { joinName, isTooLong } from "./path-text.js";
import type { ScannedEntry } from "./walk-directory.js";
import {
  closeLevel,
  type Level,
  openLevel,
  openWalk,
  releaseHandle,
  type Walk,
  type WalkRequest,
} from "./walk-state.js";
import { isIgnored, toByteString } from "./ignore/ignore-chain.js";

/** Milliseconds of work after which the event loop gets a turn, and entries between two checks of the clock. */
const SLICE_MS = 5;
const ENTRIES_PER_STEP = 64;
const BATCH_ENTRIES = 1024;
/** How many directories stay open; those further up are opened again through `..`. */
const MAX_OPEN_DIRECTORIES = 64;

/**
 * Walk everything below a directory, in time slices. Every step goes through the descriptor of a judged
 * directory, so nothing that is moved or swapped meanwhile can mislead the walk.
 */
export async function* walkFiles(
  deps: GuardDeps,
  text: string,
  request: WalkRequest,
): AsyncGenerator<WalkBatch> {
  const walk = openWalk(deps, text, request);
  try {
    for (let more = true; more;) {
      throwIfAborted(request.signal);
      const until = performance.now() + SLICE_MS;
      do more = advanceWalk(walk);
      while (more && walk.batch.length < BATCH_ENTRIES && performance.now() < until);
      if (walk.levels.length > 0) requireUnmoved(walk);
      if (walk.batch.length > 0 || !more) yield takeBatch(walk);
      if (more && performance.now() >= until) await nextTurn();
    }
  } finally {
    for (const level of walk.levels) closeLevel(level);
    walk.entryStats?.close();
  }
}

/** Take a few steps; `false` when the walk is over. */
function advanceWalk(walk: Walk): boolean {
  const level = walk.levels.at(-1);
  if (level === undefined) return false;
  if (level.position < level.entries.length) {
    const some = level.entries.slice(level.position, level.position + ENTRIES_PER_STEP);
    level.position += some.length;
    addToBatch(
      walk,
      level,
      some.filter((entry) => isWanted(walk, level, entry)),
    );
    return true;
  }
  const more = level.reader.next();
  if (more !== undefined) {
    level.entries = more;
    level.position = 0;
    return true;
  }
  const next = level.subdirectories[level.subdirectoriesEntered++];
  if (next === undefined) leaveDirectory(walk, level);
  else enterDirectory(walk, level, next);
  return true;
}

function enterDirectory(walk: Walk, level: Level, entry: ScannedEntry): void {
  const { opener, rules } = walk.deps;
  const real = joinName(level.real, entry.shown);
  let child: Handle | undefined;
  try {
    if (level.handle === undefined) return;
    child = opener.openChild(level.handle, entry.name, real);
    // It was listed already if it is now a link or a file; a forbidden path stays closed.
    if (!child.stat.isDirectory() || !rules.judge(child.real, "list").allowed) return child.close();
    const place = {
      real,
      shown: `${level.shown}${entry.shown}/`,
      within: `${level.within}${entry.shown}/`,
      bytes: `${level.bytes}${nameAsBytes(entry)}/`,
      above: level.chain,
    };
    walk.levels.push(openLevel(walk, child, place));
  } catch (error) {
    child?.close();
    const code = errnoOf(error);
    if (code === undefined || code === "EMFILE" || code === "ENFILE" || code === "ENOMEM") {
      throw code === undefined ? error : systemFailure(walk.text, code);
    }
    if (code !== "ENOENT") walk.unreadable += 1;
  }
  const distant = walk.levels.length - 1 - MAX_OPEN_DIRECTORIES;
  if (distant > 0) releaseHandle(walk.levels[distant]!);
}

/** Called before entries are returned: what was read by path must not have moved. */
function requireUnmoved({ entryStats, text }: Walk): void {
  if (entryStats?.holds() === false) throw fileConflict(text, "was moved by another process meanwhile");
}

function leaveDirectory(walk: Walk, level: Level): void {
  if (walk.levels.length === 1) requireUnmoved(walk);
  walk.levels.pop();
  const above = walk.levels.at(-1);
  if (above !== undefined && above.handle === undefined) above.handle = openParentOf(walk, level, above);
  closeLevel(level);
}

/** Open the parent through `..`, which must be the directory the walk came from. */
function openParentOf({ deps, text, levels }: Walk, level: Level, above: Level): Handle {
  const parent =
    level.handle === undefined ? undefined : deps.opener.openChild(level.handle, "..", above.real);
  if (parent !== undefined && isSameFile(parent.stat, above.stat)) return parent;
  parent?.close();
  levels.push(level);
  throw fileConflict(text, "was moved by another process meanwhile");
}

function takeBatch(walk: Walk): WalkBatch {
  const { batch: entries, ignored, unreachable, unreadable } = walk;
  walk.batch = [];
  return { entries, ignored, unreachable, unreadable };
}

/** Characters of a path that cannot be too many, however many bytes each takes. */
const SAFE_LENGTH = 1000;

/** Whether an entry is listed; directories that are to be entered are noted on the way. */
function isWanted(walk: Walk, level: Level, entry: ScannedEntry): boolean {
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
    const access = directory ? "list" : "read";
    if (!deps.rules.judge(joinName(level.real, name), access).allowed) return false;
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
function nameAsBytes({ name }: ScannedEntry): string {
  return typeof name === "string" ? toByteString(name) : name.toString("latin1");
}

/** Put entries into the batch, with their sizes and times where those are asked for. */
function addToBatch(walk: Walk, level: Level, entries: readonly ScannedEntry[]): void {
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
