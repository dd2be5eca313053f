import { rmdirSync, unlinkSync } from "node:fs";
import {
  conflict,
  errnoOf,
  notFound,
  refused,
  systemFailure,
  unstable,
  withPath,
  withPathAsync,
} from "./file-errors.js";
import { isSameFile } from "./file-stat.js";
import { type Deps, lookAt, openSpot, type Spot } from "./locate.js";
import type { Handle } from "./opener.js";
import type { PathAccess } from "./path-verdict.js";
import { joinName } from "./path-text.js";
import { syncDirectory } from "./sync-directory.js";
import { walkTree } from "./walk-tree.js";

export interface RemoveOptions {
  readonly sync: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Refuse where what stands there no longer has this identity. */
  readonly check?: (spot: Spot) => void;
}

/** Delete a file, or a link itself. A directory is refused. */
export async function unlinkPath(deps: Deps, text: string, options: RemoveOptions): Promise<void> {
  const spot = openSpot(deps, text, { access: "remove", follow: false });
  try {
    if (spot.stat === null) throw notFound(text);
    if (spot.stat.isDirectory()) throw systemFailure(text, "EISDIR");
    options.check?.(spot);
    withPath(text, () => {
      if (!spot.directory.holds()) throw unstable(text);
      unlinkSync(spot.directory.at(spot.name));
    });
    if (options.sync) await syncDirectory(spot.directory);
  } finally {
    spot.directory.close();
  }
}

/**
 * Delete a directory with all below it, or a file. Everything is judged before anything is deleted,
 * and once more as it is: what is forbidden, protected or mounted below keeps the whole tree.
 */
export async function removeTree(deps: Deps, text: string, options: RemoveOptions): Promise<void> {
  const spot = openSpot(deps, text, { access: "remove", follow: false });
  try {
    if (spot.stat === null) throw notFound(text);
    options.check?.(spot);
    await withPathAsync(text, () => removeSpot(deps, text, { spot, options }));
    if (options.sync) await syncDirectory(spot.directory);
  } finally {
    spot.directory.close();
  }
}

/** Judge everything below a directory for an access, with the path each would have at `to` if given. */
export async function judgeTree(
  deps: Deps,
  top: Handle,
  {
    text,
    access,
    to,
    signal,
  }: { text: string; access: PathAccess; to?: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const judge = (real: string): void => {
    judgeBelow(deps, text, { real, access });
    if (to !== undefined) judgeBelow(deps, text, { real: to + real.slice(top.real.length), access: "write" });
  };
  const visitor = {
    leaf: (directory: Handle, name: Buffer, real: string) => judge(real),
    enter: (directory: Handle, real: string) => {
      if (directory.stat.dev !== top.stat.dev) throw conflict(text, "holds a mounted file system");
      if (directory !== top) judge(real);
    },
  };
  await walkTree(top, { opener: deps.opener, visitor, text, signal });
}

async function removeSpot(
  deps: Deps,
  text: string,
  { spot, options }: { spot: Spot; options: RemoveOptions },
): Promise<void> {
  if (spot.stat === null || !spot.stat.isDirectory()) return unlinkSync(spot.directory.at(spot.name));
  const top = openTop(deps, text, spot);
  const signal = options.signal;
  try {
    await judgeTree(deps, top, { text, access: "write", signal });
    await walkTree(top, { opener: deps.opener, visitor: deleter(deps, text), text, signal });
    const present = lookAt(spot.directory, spot.name);
    if (present === null || !isSameFile(present, top.stat)) throw unstable(text);
    rmdirSync(spot.directory.at(spot.name));
  } finally {
    top.close();
  }
}

/** Open the directory of a spot, which must still be the one that was judged. */
export function openTop(deps: Deps, text: string, spot: Spot): Handle {
  const top = deps.opener.openChild(spot.directory, spot.name, joinName(spot.directory.real, spot.name));
  if (top.stat.isDirectory() && top.holds()) return top;
  top.close();
  throw unstable(text);
}

function deleter(deps: Deps, text: string) {
  return {
    leaf(directory: Handle, name: Buffer, real: string): void {
      judgeBelow(deps, text, { real, access: "write" });
      ignoreMissing(() => unlinkSync(directory.at(name)));
    },
    leave(parent: Handle, name: Buffer, real: string): void {
      judgeBelow(deps, text, { real, access: "write" });
      ignoreMissing(() => rmdirSync(parent.at(name)));
    },
  };
}

function judgeBelow(deps: Deps, text: string, { real, access }: { real: string; access: PathAccess }): void {
  const verdict = deps.rules.judge(real, access);
  if (verdict.allowed) return;
  throw refused(text, { ...verdict, reason: `holds something that ${verdict.reason}` });
}

function ignoreMissing(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
