import type { BigIntStats } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import type { WalkEntry, WalkOptions } from "../../contract/ports/files.js";
import { systemFailure } from "./file-errors.js";
import {
  chainOfAncestors,
  chainForDirectory,
  type IgnoreChain,
  toByteString,
} from "./ignore/ignore-chain.js";
import { type GuardDeps, openExisting } from "./locate.js";
import type { Handle } from "./opener.js";
import { isWithin } from "./path-text.js";
import { createEntryStats, type EntryStats } from "./entry-stats.js";
import { type DirectoryReader, type ScannedEntry, readDirectory } from "./walk-directory.js";

export interface WalkRequest extends WalkOptions {
  /** Shows a real path, relative to the workspace where it is inside. */
  readonly display: (real: string) => string;
  readonly signal?: AbortSignal | undefined;
}

export interface Walk {
  readonly deps: GuardDeps;
  readonly text: string;
  readonly request: WalkRequest;
  readonly levels: Level[];
  readonly entryStats: EntryStats | undefined;
  batch: WalkEntry[];
  ignored: number;
  unreachable: number;
  unreadable: number;
}

export interface Level {
  handle: Handle | undefined;
  readonly stat: BigIntStats;
  /** Its next change will change its ctime. */
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
  readonly mayBeDenied: boolean;
  entries: readonly ScannedEntry[];
  position: number;
  /** Directories to enter, in order. */
  readonly subdirectories: ScannedEntry[];
  subdirectoriesEntered: number;
}

/** Open the directory where a walk begins. */
export function openWalk(deps: GuardDeps, text: string, request: WalkRequest): Walk {
  const top = openExisting(deps, text, { access: "list" });
  let entryStats: EntryStats | undefined;
  try {
    if (!top.stat.isDirectory()) throw systemFailure(text, "ENOTDIR");
    const shown = request.display(top.real);
    const root = deps.rules.roots.find((each) => isWithin(top.real, each.real))?.real ?? top.real;
    const above = request.ignore === false ? undefined : chainOfAncestors(top.real, root);
    entryStats = request.stats === true ? createEntryStats(deps, top, root) : undefined;
    const walk: Walk = {
      deps,
      text,
      request,
      levels: [],
      entryStats,
      batch: [],
      ignored: 0,
      unreachable: 0,
      unreadable: 0,
    };
    const { real } = top;
    const place = { real, shown: shown === "." ? "" : withSlash(shown), within: "" };
    walk.levels.push(openLevel(walk, top, { ...place, bytes: withSlash(toByteString(real)), above }));
    return walk;
  } catch (error) {
    entryStats?.close();
    top.close();
    const code = errnoOf(error);
    throw code === undefined ? error : systemFailure(text, code);
  }
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

/** Start reading a directory that was opened. */
export function openLevel(
  walk: Walk,
  handle: Handle,
  place: Pick<Level, "real" | "shown" | "within" | "bytes"> & { readonly above: IgnoreChain | undefined },
): Level {
  const { real, shown, within, bytes, above } = place;
  const { rules } = walk.deps;
  const reader = readDirectory(handle);
  const names = reader.names;
  return {
    handle,
    stat: handle.stat,
    settled: walk.entryStats?.isSettled(handle) ?? false,
    reader,
    real,
    shown,
    within,
    bytes,
    chain: walk.request.ignore === false ? undefined : chainForDirectory(above, { handle, bytes, names }),
    mayBeDenied: rules.mayDenyBelow(real),
    entries: [],
    position: 0,
    subdirectories: [],
    subdirectoriesEntered: 0,
  };
}

/** Close the descriptor of a directory whose entries are still needed. */
export function releaseHandle(level: Level): void {
  level.handle?.close();
  level.handle = undefined;
}

/** Close everything that a level has open. */
export function closeLevel(level: Level): void {
  level.reader.close();
  level.handle?.close();
}
