import { setImmediate as nextTurn } from "node:timers/promises";
import type { WalkBatch } from "../../contract/ports/files.js";
import { conflict, errnoOf, systemFailure, throwIfAborted } from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import type { Deps } from "./locate.js";
import type { Handle } from "./opener.js";
import { joinName } from "./path-text.js";
import type { FoundEntry } from "./walk-directory.js";
import { add, isWanted, nameBytes } from "./walk-entries.js";
import {
  closeLevel,
  type Level,
  openLevel,
  openWalk,
  releaseHandle,
  type Walk,
  type WalkRequest,
} from "./walk-state.js";

/** Milliseconds of work after which others get their turn, and entries after which the clock is looked at. */
const SLICE = 5;
const ENTRIES_PER_LOOK = 64;
const BATCH = 1024;
/** Directories that are held open; those above are found again through `..`. */
const MOST_OPEN = 64;

/**
 * Walk everything below a directory, in slices of time. Every step goes through the descriptor of a
 * directory that was judged, so nothing that is moved or swapped meanwhile leads the walk astray.
 */
export async function* walkFiles(deps: Deps, text: string, request: WalkRequest): AsyncGenerator<WalkBatch> {
  const walk = openWalk(deps, text, request);
  try {
    for (let more = true; more;) {
      throwIfAborted(request.signal);
      const until = performance.now() + SLICE;
      do more = advance(walk);
      while (more && walk.batch.length < BATCH && performance.now() < until);
      if (walk.levels.length > 0) requireStanding(walk);
      if (walk.batch.length > 0 || !more) yield takeBatch(walk);
      if (more && performance.now() >= until) await nextTurn();
    }
  } finally {
    for (const level of walk.levels) closeLevel(level);
    walk.stillness?.close();
  }
}

/** Take a few steps; `false` when the walk is over. */
function advance(walk: Walk): boolean {
  const level = walk.levels.at(-1);
  if (level === undefined) return false;
  if (level.at < level.found.length) {
    const some = level.found.slice(level.at, level.at + ENTRIES_PER_LOOK);
    level.at += some.length;
    add(
      walk,
      level,
      some.filter((entry) => isWanted(walk, level, entry)),
    );
    return true;
  }
  const more = level.reader.next();
  if (more !== undefined) {
    level.found = more;
    level.at = 0;
    return true;
  }
  const next = level.below[level.entered++];
  if (next === undefined) leave(walk, level);
  else enter(walk, level, next);
  return true;
}

function enter(walk: Walk, level: Level, entry: FoundEntry): void {
  const { opener, rules } = walk.deps;
  const real = joinName(level.real, entry.shown);
  let child: Handle | undefined;
  try {
    if (level.handle === undefined) return;
    child = opener.openChild(level.handle, entry.name, real);
    // What is a link or a file by now was listed already, and a path that became forbidden stays closed.
    if (!child.stat.isDirectory() || !rules.judge(child.real, "read").allowed) return child.close();
    const place = {
      real,
      shown: `${level.shown}${entry.shown}/`,
      within: `${level.within}${entry.shown}/`,
      bytes: `${level.bytes}${nameBytes(entry)}/`,
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
  const distant = walk.levels.length - 1 - MOST_OPEN;
  if (distant > 0) releaseHandle(walk.levels[distant]!);
}

/** Before anything is told: what was looked at by its path must have stood there. */
function requireStanding({ stillness, text }: Walk): void {
  if (stillness?.holds() === false) throw conflict(text, "was moved by someone else meanwhile");
}

function leave(walk: Walk, level: Level): void {
  if (walk.levels.length === 1) requireStanding(walk);
  walk.levels.pop();
  const above = walk.levels.at(-1);
  if (above !== undefined && above.handle === undefined) above.handle = climb(walk, level, above);
  closeLevel(level);
}

/** The way up must arrive where it came from. */
function climb({ deps, text, levels }: Walk, level: Level, above: Level): Handle {
  const parent =
    level.handle === undefined ? undefined : deps.opener.openChild(level.handle, "..", above.real);
  if (parent !== undefined && isSameFile(parent.stat, above.stat)) return parent;
  parent?.close();
  levels.push(level);
  throw conflict(text, "was rearranged by someone else meanwhile");
}

function takeBatch(walk: Walk): WalkBatch {
  const { batch: entries, ignored, unreachable, unreadable } = walk;
  walk.batch = [];
  return { entries, ignored, unreachable, unreadable };
}
