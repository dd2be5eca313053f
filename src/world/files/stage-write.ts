import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import type { FileStat, WriteOptions } from "../../contract/ports/files.js";
import { commitStaged } from "./commit-write.js";
import {
  fileConflict,
  errnoOf,
  notRegularFile,
  systemFailure,
  fileTooLarge,
  withPath,
  withPathAsync,
} from "./file-errors.js";
import { identityOf, toFileStat } from "./file-stat.js";
import { keepAttributes } from "./keep-attributes.js";
import { type GuardDeps, openTarget, type Target } from "./locate.js";
import { parentMaker } from "./make-directory.js";
import type { Handle } from "./opener.js";
import { joinName } from "./path-text.js";
import { copyBytes, writeBytes } from "./pump-bytes.js";
import { closeOnce, openForReading } from "./read-file.js";
import { syncFile } from "./sync-directory.js";

/** What a change of a file needs besides the path. */
export interface WriteDeps extends GuardDeps {
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
  if (bytes > deps.maxFileSize) throw fileTooLarge(text, deps.maxFileSize);
  const origin = "copyOf" in source ? openForReading(deps, source.copyOf) : undefined;
  try {
    const target = openTarget(deps, text, { access: "write", make: parentMaker(deps, text) });
    return await stageTemp({ deps, text, target, source, origin, options });
  } finally {
    origin?.close();
  }
}

interface StageWork {
  readonly deps: WriteDeps;
  readonly text: string;
  readonly target: Target;
  readonly source: StageSource;
  readonly origin: { readonly fd: number; readonly stat: FileStat } | undefined;
  readonly options: WriteOptions;
}

async function stageTemp(work: StageWork): Promise<StagedWrite> {
  const { deps, text, target } = work;
  const name = deps.tempName();
  let discard = (): void => target.directory.close();
  try {
    checkTarget(work);
    const fd = withPath(text, () => openSync(target.directory.at(name), NEW_FILE, privateUntilDone(work)));
    discard = createDiscard(work, { fd, name });
    await withPathAsync(text, async () => {
      await fillContent(fd, work);
      keepAttributes(fd, { replaced: target.stat, mode: modeFor(work) });
      if (deps.sync) await syncFile(fd);
    });
    const staged = { fd, name, target, options: commitOptions(work), text, sync: deps.sync };
    return {
      target: target.real,
      temp: joinName(target.directory.real, name),
      previous: target.stat === null ? null : toFileStat(target.stat),
      commit: () => commitStaged(staged).finally(discard),
      discard,
    };
  } catch (error) {
    discard();
    throw error;
  }
}

/** What was appended to must still be what it was, or another's bytes would be lost. */
function commitOptions({ source, target, options }: StageWork): WriteOptions {
  if (!("append" in source)) return options;
  return target.stat === null ? { create: true } : { ifIdentity: identityOf(target.stat) };
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function checkTarget({ deps, text, target, options }: StageWork): void {
  if (target.stat === null) {
    if (options.ifIdentity !== undefined) throw fileConflict(text, "was deleted by someone else");
    return;
  }
  if (target.stat.isDirectory()) throw systemFailure(text, "EISDIR");
  if (!target.stat.isFile()) throw notRegularFile(text);
  if (options.create === true) throw systemFailure(text, "EEXIST");
  if (options.ifIdentity !== undefined && identityOf(target.stat) !== options.ifIdentity) {
    throw fileConflict(text, "has been changed by someone else");
  }
  withPath(text, () => checkWritable(deps, target));
}

/** A rename would replace even a read-only file, whose owner meant it to stay: ask by opening, and write nothing. */
function checkWritable(deps: WriteDeps, target: Target): void {
  let present: Handle | undefined;
  try {
    present = deps.opener.openChild(target.directory, target.name, target.real);
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
function privateUntilDone({ target, origin, options }: StageWork): number {
  return target.stat === null && origin === undefined && options.mode === undefined ? 0o666 : 0o600;
}

async function fillContent(fd: number, work: StageWork): Promise<void> {
  const { deps, text, source, origin, target } = work;
  if ("data" in source) return writeBytes(fd, source.data);
  const limit = { text, maxBytes: deps.maxFileSize };
  if (origin !== undefined) return void (await copyBytes(origin.fd, fd, limit));
  const addition = "append" in source ? source.append : new Uint8Array();
  if (target.stat !== null) await copyPresent(fd, work, addition.length);
  await writeBytes(fd, addition);
}

/** Copy what the target holds now, read through its own directory and never through a link. */
async function copyPresent(fd: number, { deps, text, target }: StageWork, extra: number): Promise<void> {
  const present = deps.opener.openChild(target.directory, target.name, target.real);
  try {
    if (
      target.stat === null ||
      identityOf(present.stat) !== identityOf(target.stat) ||
      !present.stat.isFile()
    ) {
      throw fileConflict(text, "has been changed by someone else");
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

function modeFor({ target, origin, options }: StageWork): number | undefined {
  return options.mode ?? (target.stat === null ? origin?.stat.mode : Number(target.stat.mode));
}

/** Closes everything once, and removes the temp file where it still has its name. */
function createDiscard({ target }: StageWork, { fd, name }: { fd: number; name: string }): () => void {
  const closeTemp = closeOnce(fd);
  let done = false;
  return () => {
    if (done) return;
    done = true;
    closeTemp();
    try {
      unlinkSync(target.directory.at(name));
    } catch {
      // It was renamed into place, or somebody else removed it.
    }
    target.directory.close();
  };
}
