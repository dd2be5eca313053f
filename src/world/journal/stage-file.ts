import { createHash } from "node:crypto";
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync } from "node:fs";
import type { FileImage, NodeAttributes } from "../../contract/ports/journal.js";
import { conflict } from "../files/file-errors.js";
import { writeBytes } from "../files/pump-bytes.js";
import { syncFile } from "../files/sync-directory.js";
import { readSource, type Source, type SourceGround } from "./sources.js";

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export interface StagedFile {
  readonly image: FileImage;
  readonly source: Source;
  /** The path to name in errors. */
  readonly text: string;
}

/** Write a new file, flushed, at a path of node:fs; its content must be the one that was announced. */
export async function stageFile(ground: SourceGround, at: string | Buffer, file: StagedFile): Promise<void> {
  const { image, source, text } = file;
  // Closed to others until it has its own mode.
  const fd = openSync(at, newFile, image.mode === undefined ? 0o666 : 0o600);
  try {
    const digest = createHash("sha256");
    for await (const chunk of readSource(ground, source)) {
      digest.update(chunk);
      await writeBytes(fd, chunk);
    }
    if (digest.digest("hex") !== image.hash) throw conflict(text, "was changed by someone else meanwhile");
    setAttributes(fd, image);
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

/** Owner, where the system lets us, then mode, since a change of owner drops set-id bits. */
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
