import { createHash } from "node:crypto";
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync } from "node:fs";
import { errnoOf } from "../../contract/errno.js";
import type { FileImage, NodeAttributes } from "../../contract/ports/journal.js";
import { fileConflict } from "../files/file-errors.js";
import { writeBytes, writePieces, syncFile } from "../files/sync-directory.js";
import { readSource, type Source, type SourceDeps } from "./sources.js";

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export interface StagedFile {
  readonly image: FileImage;
  readonly source: Source;
  /** The path to name in errors. */
  readonly text: string;
  /** @default at once */
  readonly flush?: Flush;
}

/** Flushes a descriptor and closes it, now or later. */
export type Flush = (fd: number) => Promise<void>;

/** Write a new file; its content must have the hash of its image. */
export async function stageFile(
  deps: SourceDeps,
  at: string | Buffer,
  { image, source, text, flush = flushNow }: StagedFile,
): Promise<void> {
  // Private until it has its own mode.
  const fd = openSync(at, newFile, image.mode === undefined ? 0o666 : 0o600);
  try {
    await fill(deps, fd, { image, source, text });
    setAttributes(fd, image);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  await flush(fd);
}

async function flushNow(fd: number): Promise<void> {
  try {
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

async function fill(deps: SourceDeps, fd: number, { image, source, text }: StagedFile): Promise<void> {
  // Data in memory is what was hashed.
  if (source.kind === "data") return writeBytes(fd, source.data);
  if (source.kind === "pieces") return writePieces(fd, source.pieces);
  const digest = createHash("sha256");
  for await (const chunk of readSource(deps, source)) {
    digest.update(chunk);
    await writeBytes(fd, chunk);
  }
  if (image.hash !== "" && digest.digest("hex") !== image.hash)
    throw fileConflict(text, "was changed by someone else meanwhile");
}

/** Set the owner, where permitted, then the mode, because a change of owner drops set-id bits. */
export function setAttributes(fd: number, { mode, uid, gid }: NodeAttributes): void {
  if (uid !== undefined && gid !== undefined) keepOwner(fd, uid, gid);
  if (mode !== undefined) fchmodSync(fd, mode);
}

function keepOwner(fd: number, uid: number, gid: number): void {
  const now = fstatSync(fd);
  if (now.uid === uid && now.gid === gid) return;
  for (const owner of [uid, now.uid]) {
    try {
      return fchownSync(fd, owner, gid);
    } catch {
      // Only root may give files away; then the group alone is tried.
    }
  }
}

/** Flushes of many files that wait for the disk together. */
export interface Flushes {
  /** Flush a descriptor and close it, some time before `end`. */
  readonly add: (fd: number) => Promise<void>;
  /** Wait for all. */
  end(): Promise<void>;
}

const maxPending = 32;

/** Begin a series of flushes. */
export function createFlushes(): Flushes {
  const pending = new Set<Promise<void>>();
  let failure: unknown;
  const flush = async (fd: number): Promise<void> => {
    try {
      await syncFile(fd);
    } catch (error) {
      // Some file systems cannot flush directories and report it with this code.
      if (errnoOf(error) !== "EINVAL") failure ??= error;
    } finally {
      closeSync(fd);
    }
  };
  return {
    async add(fd) {
      const flushing: Promise<void> = flush(fd).finally(() => pending.delete(flushing));
      pending.add(flushing);
      if (pending.size >= maxPending) await Promise.race(pending);
    },
    async end() {
      await Promise.all(pending);
      if (failure !== undefined) throw failure;
    },
  };
}
