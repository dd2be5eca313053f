import { createHash } from "node:crypto";
import {
  closeSync,
  fdatasync,
  fstatSync,
  fsync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { errnoOf } from "../contract/errno.js";
import { removeIfThere } from "../contract/remove-if-there.js";
import type { BlobRef, BlobSource, BlobWriter } from "../contract/ports/blobs.js";

/** Where contents are stored, and how new ones are added. */
export interface BlobPlace {
  readonly dir: string;
  fileOf(hash: string): string;
  newPartial(): string;
  isKept(ref: BlobRef): Promise<boolean>;
}

export const syncFile = promisify(fsync);
const syncData = promisify(fdatasync);

const chunkBytes = 1 << 20;
// Below this a copy is as quick as a link, and does not share its inode.
const linkBytes = 1 << 18;

/** Take a content whose hash is known only at its end: a partial file that gets its name then. */
export function createBlobWriter(place: BlobPlace): BlobWriter {
  const file = place.newPartial();
  const fd = openSync(file, "wx", 0o600);
  const digest = createHash("sha256");
  let size = 0;
  let open = true;
  const close = (): void => {
    if (open) closeSync(fd);
    open = false;
  };
  const abort = (): void => {
    if (!open) return;
    close();
    removeIfThere(file);
  };
  return {
    write(chunk) {
      digest.update(chunk);
      writeFully(fd, chunk);
      size += chunk.length;
    },
    async finish() {
      try {
        const ref = { hash: digest.digest("hex"), size };
        await adopt({ file, fd, ref }, place);
        close();
        return ref;
      } catch (error) {
        abort();
        throw error;
      }
    },
    abort,
  };
}

/** Copy a file's content into a writer, however large, without blocking the event loop. */
export async function copyFrom(fd: number, writer: BlobWriter): Promise<BlobRef> {
  try {
    for await (const chunk of chunksOf(fd)) writer.write(chunk);
    return await writer.finish();
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/**
 * Keep a large file by a second link to it: nothing is copied. Sound, because files are replaced by
 * rename and never written in place; a program that held it open and wrote to it is noticed when the
 * hash is checked. `undefined` where a link is not possible or not wise.
 */
export async function linkFrom(source: BlobSource, place: BlobPlace): Promise<BlobRef | undefined> {
  const before = fstatSync(source.fd, { bigint: true });
  if (source.linkFrom === undefined || before.nlink !== 1n || before.size < linkBytes) return undefined;
  const file = place.newPartial();
  if (!tryLink(source.linkFrom, file)) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(file, "r");
    const found = fstatSync(fd, { bigint: true });
    if (found.ino !== before.ino || found.dev !== before.dev) return undefined;
    const ref = await digestOf(fd);
    if (await place.isKept(ref)) return ref;
    // Only the bytes need a sync: the file system writes the new name before the rename that replaces the file.
    await syncData(fd);
    renameSync(file, place.fileOf(ref.hash));
    return ref;
  } finally {
    if (fd !== undefined) closeSync(fd);
    removeIfThere(file);
  }
}

/** Write a content whose hash is known under its name; an incomplete file is noticed by its hash. */
export async function writeWhole(file: string, data: Uint8Array, durable: boolean): Promise<void> {
  const fd = openNew(file);
  try {
    writeFully(fd, data);
    if (durable) await syncFile(fd);
  } catch (error) {
    removeIfThere(file);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Begin a file for its owner only, in place of what may be left of one. */
function openNew(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  removeIfThere(file);
  return openSync(file, "wx", 0o600);
}

/** Hash and size of an open file. */
export async function digestOf(fd: number): Promise<BlobRef> {
  const digest = createHash("sha256");
  let size = 0;
  for await (const chunk of chunksOf(fd)) {
    digest.update(chunk);
    size += chunk.length;
  }
  return { hash: digest.digest("hex"), size };
}

/** Give a finished file its name, unless that content is there already. */
async function adopt(
  { file, fd, ref }: { file: string; fd: number; ref: BlobRef },
  place: BlobPlace,
): Promise<void> {
  if (await place.isKept(ref)) return removeIfThere(file);
  await syncFile(fd);
  renameSync(file, place.fileOf(ref.hash));
  await syncDirectory(place.dir);
}

async function* chunksOf(fd: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, fstatSync(fd).size + 1));
  for (let position = 0; ;) {
    const read = readSync(fd, buffer, 0, buffer.length, position);
    if (read === 0) return;
    yield buffer.subarray(0, read);
    position += read;
    if (read === buffer.length) await nextTurn();
  }
}

function writeFully(fd: number, data: Uint8Array): void {
  for (let written = 0; written < data.length;) {
    written += writeSync(fd, data, written, Math.min(data.length - written, chunkBytes));
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    // Another disk, a file system without links, another user's file: copy instead.
    return false;
  }
}

/** A new name lasts only once its directory is on disk. Windows has no such call. */
async function syncDirectory(dir: string): Promise<void> {
  if (process.platform === "win32") return;
  const fd = openSync(dir, "r");
  try {
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}
