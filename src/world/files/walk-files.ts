import type { BigIntStats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { WalkBatch, WalkEntry, WalkOptions } from "../../contract/ports/files.js";
import { conflict, errnoOf, systemFailure, throwIfAborted } from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import { chainAbove, chainBelow, type IgnoreChain, isIgnored, toBytes } from "./ignore/ignore-chain.js";
import { type Ground, openExisting } from "./locate.js";
import type { Handle } from "./opener.js";
import { isTooLong, isWithin, joinName } from "./path-text.js";
import { createStillness, type Stillness } from "./stillness.js";
import { type DirectoryReader, type FoundEntry, readDirectory } from "./walk-directory.js";

export interface WalkRequest extends WalkOptions {
  /** A real path, relative to the workspace where it lies inside. */
  readonly display: (real: string) => string;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds of work after which others get their turn, and entries after which the clock is looked at. */
const SLICE = 5;
const ENTRIES_PER_LOOK = 64;
const BATCH = 1024;
/** Characters of a path that cannot be too many, however many bytes each takes. */
const SAFE_LENGTH = 1000;
/** Directories that are held open; those above are found again through `..`. */
const MOST_OPEN = 64;

/**
 * Walk everything below a directory, in slices of time. Every step goes through the descriptor of a
 * directory that was judged, so nothing that is moved or swapped meanwhile leads the walk astray.
 */
export async function* walkFiles(
  ground: Ground,
  text: string,
  request: WalkRequest,
): AsyncGenerator<WalkBatch> {
  const walk = openWalk(ground, text, request);
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

interface Walk {
  readonly ground: Ground;
  readonly text: string;
  readonly request: WalkRequest;
  readonly levels: Level[];
  readonly stillness: Stillness | undefined;
  batch: WalkEntry[];
  ignored: number;
  unreachable: number;
  unreadable: number;
}

/** A directory on the way down. */
interface Level {
  handle: Handle | undefined;
  readonly stat: BigIntStats;
  /** Its next change will show. */
  readonly settled: boolean;
  readonly reader: DirectoryReader;
  readonly real: string;
  /** The path to show before an entry's name: "" or ending with a slash; `within` from where the walk began. */
  readonly shown: string;
  readonly within: string;
  /** The real path as bytes, ending with a slash. */
  readonly bytes: string;
  readonly chain: IgnoreChain | undefined;
  /** Some rule may forbid an entry here. */
  readonly judged: boolean;
  found: readonly FoundEntry[];
  at: number;
  /** Directories to enter, in order. */
  readonly below: FoundEntry[];
  entered: number;
}

function openWalk(ground: Ground, text: string, request: WalkRequest): Walk {
  const top = openExisting(ground, text, { access: "read" });
  try {
    if (!top.stat.isDirectory()) throw systemFailure(text, "ENOTDIR");
    const shown = request.display(top.real);
    const root = ground.rules.roots.find((each) => isWithin(top.real, each.real))?.real ?? top.real;
    const above = request.ignore === false ? undefined : chainAbove(top.real, root);
    const walk: Walk = {
      ground,
      text,
      request,
      levels: [],
      stillness: request.stats === true ? createStillness(ground, top, root) : undefined,
      batch: [],
      ignored: 0,
      unreachable: 0,
      unreadable: 0,
    };
    walk.levels.push(
      openLevel(walk, top, { real: top.real, shown: shown === "." ? "" : `${shown}/`, within: "", above }),
    );
    return walk;
  } catch (error) {
    top.close();
    const code = errnoOf(error);
    throw code === undefined ? error : systemFailure(text, code);
  }
}

function openLevel(
  walk: Walk,
  handle: Handle,
  place: { real: string; shown: string; within: string; above: IgnoreChain | undefined },
): Level {
  const { real, shown, within, above } = place;
  const { rules } = walk.ground;
  const reader = readDirectory(handle);
  const bytes = real.endsWith("/") ? toBytes(real) : `${toBytes(real)}/`;
  const names = reader.names;
  return {
    handle,
    stat: handle.stat,
    settled: walk.stillness?.isSettled(handle) ?? false,
    reader,
    real,
    shown,
    within,
    bytes,
    chain: walk.request.ignore === false ? undefined : chainBelow(above, { handle, bytes, names }),
    judged: rules.mayDenyBelow(real),
    found: [],
    at: 0,
    below: [],
    entered: 0,
  };
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

/** Whether an entry is listed; directories that are to be entered are noted on the way. */
function isWanted(walk: Walk, level: Level, entry: FoundEntry): boolean {
  const { request, ground } = walk;
  const { shown: name, type } = entry;
  const directory = type === "directory";
  if (request.ignore !== false) {
    if (entry.name === ".git") return false;
    if (isLeftOut(level, entry)) {
      walk.ignored += 1;
      return false;
    }
  }
  if (level.judged || directory) {
    if (!ground.rules.judge(joinName(level.real, name), "read").allowed) return false;
  }
  if (level.real.length + name.length > SAFE_LENGTH && isTooLong(joinName(level.real, name))) {
    walk.unreachable += 1;
    return false;
  }
  if (directory && mayEnter(walk, level, name)) level.below.push(entry);
  return request.wants === undefined || request.wants({ name, path: level.within + name, type });
}

function isLeftOut(level: Level, entry: FoundEntry): boolean {
  if (level.chain === undefined) return false;
  const name = typeof entry.name === "string" ? toBytes(entry.name) : entry.name.toString("latin1");
  return isIgnored(level.chain, level.bytes, { name, directory: entry.type === "directory" });
}

function add(walk: Walk, level: Level, entries: readonly FoundEntry[]): void {
  const { batch, stillness } = walk;
  const stats = stillness?.look(level, { entries, levels: walk.levels });
  for (const [at, { shown: name, type }] of entries.entries()) {
    const path = level.shown + name;
    if (stats === undefined) {
      batch.push({ name, path, type });
      continue;
    }
    const stat = stats[at];
    // It may be gone by now.
    if (stat === null) continue;
    batch.push({ name, path, type, size: stat?.size ?? 0, modified: Math.floor(stat?.mtimeMs ?? 0) });
  }
}

function mayEnter({ request, levels }: Walk, level: Level, name: string): boolean {
  if (levels.length >= (request.depth ?? Number.POSITIVE_INFINITY)) return false;
  return request.enters === undefined || request.enters(level.within + name);
}

function enter(walk: Walk, level: Level, entry: FoundEntry): void {
  const { opener, rules } = walk.ground;
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

function releaseHandle(level: Level): void {
  level.handle?.close();
  level.handle = undefined;
}

/** The way up must arrive where it came from. */
function climb({ ground, text, levels }: Walk, level: Level, above: Level): Handle {
  const parent =
    level.handle === undefined ? undefined : ground.opener.openChild(level.handle, "..", above.real);
  if (parent !== undefined && isSameFile(parent.stat, above.stat)) return parent;
  parent?.close();
  levels.push(level);
  throw conflict(text, "was rearranged by someone else meanwhile");
}

function closeLevel(level: Level): void {
  level.reader.close();
  level.handle?.close();
}

function takeBatch(walk: Walk): WalkBatch {
  const { batch: entries, ignored, unreachable, unreadable } = walk;
  walk.batch = [];
  return { entries, ignored, unreachable, unreadable };
}
