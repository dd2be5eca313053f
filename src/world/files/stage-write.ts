import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import type { FileStat, WriteOptions } from "../../contract/ports/files.js";
import { commitStaged } from "./commit-write.js";
import {
  conflict,
  errnoOf,
  notPlain,
  systemFailure,
  tooLarge,
  withPath,
  withPathAsync,
} from "./file-errors.js";
import { identityOf, toFileStat } from "./file-stat.js";
import { keepAttributes } from "./keep-attributes.js";
import { type Deps, openSpot, type Spot } from "./locate.js";
import { parentMaker } from "./make-directory.js";
import type { Handle } from "./opener.js";
import { joinName } from "./path-text.js";
import { copyBytes, writeBytes } from "./pump-bytes.js";
import { closeOnce, openForReading } from "./read-file.js";
import { syncFile } from "./sync-directory.js";

/** What a change of a file needs besides the path. */
export interface WriteDeps extends Deps {
  readonly maxFileSize: number;
  /** A new name for a file that is being written. */
  readonly tempName: () => string;
  /** Flush to the disk before answering. */
  readonly sync: boolean;
}

/** A file that is written and flushed beside its target, and takes its place on `commit`. */
export interface StagedWrite {
  /** The real path that it will have. */
  readonly target: string;
  /** The real path that it has until then; after a crash, it can be removed or renamed by this. */
  readonly temp: string;
  /** What stands at the target now, or `null`. */
  readonly previous: FileStat | null;
  /** Put it in place in one step. The target is untouched before, and untouched if this fails. */
  commit(): Promise<FileStat>;
  /** Drop it; nothing happened. Harmless after `commit`. */
  discard(): void;
}

/** Where a staged file's bytes come from. */
export type StageSource =
  | { readonly data: Uint8Array }
  /** The target's present bytes, then these. */
  | { readonly append: Uint8Array }
  /** Another file, by path. */
  | { readonly copyOf: string };

/** Write a file's next content beside it. An existing file is never opened for writing, so its other hard links keep theirs. */
export async function stageWrite(
  deps: WriteDeps,
  text: string,
  { source, options = {} }: { source: StageSource; options?: WriteOptions },
): Promise<StagedWrite> {
  const bytes = "data" in source ? source.data.length : "append" in source ? source.append.length : 0;
  if (bytes > deps.maxFileSize) throw tooLarge(text, deps.maxFileSize);
  const origin = "copyOf" in source ? openForReading(deps, source.copyOf) : undefined;
  try {
    const spot = openSpot(deps, text, { access: "write", make: parentMaker(deps, text) });
    return await fillTemp({ deps, text, spot, source, origin, options });
  } finally {
    origin?.close();
  }
}

interface Work {
  readonly deps: WriteDeps;
  readonly text: string;
  readonly spot: Spot;
  readonly source: StageSource;
  readonly origin: { readonly fd: number; readonly stat: FileStat } | undefined;
  readonly options: WriteOptions;
}

async function fillTemp(work: Work): Promise<StagedWrite> {
  const { deps, text, spot } = work;
  const name = deps.tempName();
  let discard = (): void => spot.directory.close();
  try {
    checkTarget(work);
    const fd = withPath(text, () => openSync(spot.directory.at(name), NEW_FILE, privateUntilDone(work)));
    discard = discarder(work, { fd, name });
    await withPathAsync(text, async () => {
      await fill(fd, work);
      keepAttributes(fd, { replaced: spot.stat, mode: modeFor(work) });
      if (deps.sync) await syncFile(fd);
    });
    const staged = { fd, name, spot, options: commitOptions(work), text, sync: deps.sync };
    return {
      target: spot.real,
      temp: joinName(spot.directory.real, name),
      previous: spot.stat === null ? null : toFileStat(spot.stat),
      commit: () => commitStaged(staged).finally(discard),
      discard,
    };
  } catch (error) {
    discard();
    throw error;
  }
}

/** What was appended to must still be what it was, or another's bytes would be lost. */
function commitOptions({ source, spot, options }: Work): WriteOptions {
  if (!("append" in source)) return options;
  return spot.stat === null ? { create: true } : { ifIdentity: identityOf(spot.stat) };
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function checkTarget({ deps, text, spot, options }: Work): void {
  if (spot.stat === null) {
    if (options.ifIdentity !== undefined) throw conflict(text, "was deleted by someone else");
    return;
  }
  if (spot.stat.isDirectory()) throw systemFailure(text, "EISDIR");
  if (!spot.stat.isFile()) throw notPlain(text);
  if (options.create === true) throw systemFailure(text, "EEXIST");
  if (options.ifIdentity !== undefined && identityOf(spot.stat) !== options.ifIdentity) {
    throw conflict(text, "has been changed by someone else");
  }
  withPath(text, () => checkWritable(deps, spot));
}

/** A rename would replace even a read-only file, whose owner meant it to stay: ask by opening, and write nothing. */
function checkWritable(deps: WriteDeps, spot: Spot): void {
  let present: Handle | undefined;
  try {
    present = deps.opener.openChild(spot.directory, spot.name, spot.real);
    if (present.stat.isFile()) closeSync(present.reopen(constants.O_WRONLY | constants.O_NONBLOCK));
  } catch (error) {
    // A running program cannot be written to, but it can be replaced; what is gone is no hindrance.
    const code = errnoOf(error);
    if (code !== "ETXTBSY" && code !== "ENOENT") throw error;
  } finally {
    present?.close();
  }
}

/** A file that replaces another is closed to others until it has that one's mode. */
function privateUntilDone({ spot, origin, options }: Work): number {
  return spot.stat === null && origin === undefined && options.mode === undefined ? 0o666 : 0o600;
}

async function fill(fd: number, work: Work): Promise<void> {
  const { deps, text, source, origin, spot } = work;
  if ("data" in source) return writeBytes(fd, source.data);
  const limit = { text, maxBytes: deps.maxFileSize };
  if (origin !== undefined) return void (await copyBytes(origin.fd, fd, limit));
  const addition = "append" in source ? source.append : new Uint8Array();
  if (spot.stat !== null) await copyPresent(fd, work, addition.length);
  await writeBytes(fd, addition);
}

/** Copy what the target holds now, read through its own directory and never through a link. */
async function copyPresent(fd: number, { deps, text, spot }: Work, extra: number): Promise<void> {
  const present = deps.opener.openChild(spot.directory, spot.name, spot.real);
  try {
    if (spot.stat === null || identityOf(present.stat) !== identityOf(spot.stat) || !present.stat.isFile()) {
      throw conflict(text, "has been changed by someone else");
    }
    const from = present.reopen(constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      await copyBytes(from, fd, { text, maxBytes: deps.maxFileSize - extra });
    } finally {
      closeOnce(from)();
    }
  } finally {
    present.close();
  }
}

function modeFor({ spot, origin, options }: Work): number | undefined {
  return options.mode ?? (spot.stat === null ? origin?.stat.mode : Number(spot.stat.mode));
}

/** Closes everything once, and removes the temp file where it still has its name. */
function discarder({ spot }: Work, { fd, name }: { fd: number; name: string }): () => void {
  const closeTemp = closeOnce(fd);
  let done = false;
  return () => {
    if (done) return;
    done = true;
    closeTemp();
    try {
      unlinkSync(spot.directory.at(name));
    } catch {
      // It was renamed into place, or somebody else removed it.
    }
    spot.directory.close();
  };
}
