import { createHash } from "node:crypto";
import { closeSync, constants, read, readSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import type { BlobRef, BlobStore } from "../../contract/ports/blobs.js";
import { notRegularFile } from "../files/file-errors.js";
import type { Opener } from "../files/opener.js";
import { openPath } from "./open-path.js";

/** Where a content comes from, before the first step is applied. */
export type Source =
  | { readonly kind: "data"; readonly data: Uint8Array }
  | { readonly kind: "pieces"; readonly pieces: readonly Uint8Array[] }
  | { readonly kind: "disk"; readonly real: string }
  | { readonly kind: "blob"; readonly hash: string }
  | { readonly kind: "packed"; readonly pack: string; readonly offset: number; readonly size: number }
  | { readonly kind: "joined"; readonly first: Source; readonly rest: Uint8Array }
  | SplicedSource;

/** The base up to `head`, then `middle`, then the base again from `tail` on. */
export interface SplicedSource {
  readonly kind: "spliced";
  readonly base: Source;
  readonly head: number;
  readonly middle: Source;
  readonly tail: number;
}

/** What contents are read from. */
export interface SourceDeps {
  readonly opener: Opener;
  readonly blobs: BlobStore;
}

/** The bytes of a source in chunks; each chunk is valid until the next one is asked for. */
export async function* readSource(deps: SourceDeps, source: Source): AsyncGenerator<Uint8Array> {
  switch (source.kind) {
    case "data":
      yield source.data;
      break;
    case "pieces":
      yield* source.pieces;
      break;
    case "disk":
      yield* readDisk(deps.opener, source.real);
      break;
    case "blob":
      yield* readBlob(deps.blobs, source.hash);
      break;
    case "packed":
      yield* readBlob(deps.blobs, source.pack, source);
      break;
    case "joined":
      yield* readSource(deps, source.first);
      yield source.rest;
      break;
    case "spliced":
      yield* readSpliced(deps, source);
  }
}

async function* readSpliced(
  deps: SourceDeps,
  { base, head, middle, tail }: SplicedSource,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  let isInserted = false;
  for await (const chunk of readSource(deps, base)) {
    const end = position + chunk.length;
    if (position < head) yield chunk.subarray(0, head - position);
    if (!isInserted && end >= head) {
      isInserted = true;
      yield* readSource(deps, middle);
    }
    if (end > tail) yield chunk.subarray(Math.max(tail - position, 0));
    position = end;
  }
  if (!isInserted) yield* readSource(deps, middle);
}

/** All bytes of a source. */
export async function readBytes(deps: SourceDeps, source: Source): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of readSource(deps, source)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Whether a source contains exactly these bytes. */
export async function holdsBytes(deps: SourceDeps, source: Source, wanted: Uint8Array): Promise<boolean> {
  const known = Buffer.from(wanted.buffer, wanted.byteOffset, wanted.byteLength);
  if (source.kind === "disk") return fileHolds(deps.opener, source.real, known);
  let position = 0;
  for await (const chunk of readSource(deps, source)) {
    const end = position + chunk.length;
    if (end > known.length || known.compare(chunk, 0, chunk.length, position, end) !== 0) return false;
    position = end;
  }
  return position === known.length;
}

/** The file was read just before and is cached, so a synchronous read is faster than the thread pool. */
async function fileHolds(opener: Opener, real: string, known: Buffer): Promise<boolean> {
  const file = openRegular(opener, real);
  try {
    if (file.size !== BigInt(known.length)) return false;
    const buffer = Buffer.allocUnsafe(Math.min(comparedBytes, known.length + 1));
    for (let position = 0; ;) {
      const got = readSync(file.fd, buffer, 0, buffer.length, position);
      if (got === 0) return position === known.length;
      const end = position + got;
      if (end > known.length || known.compare(buffer, 0, got, position, end) !== 0) return false;
      position = end;
      // More was asked for, and was not there.
      if (position === known.length && got < buffer.length) return true;
      if (position < known.length && position % turnBytes < comparedBytes) await nextTurn();
    }
  } finally {
    file.close();
  }
}

/** Memory of this size is at hand; larger pieces are mapped again each time, and fall out of the processor's cache. */
const comparedBytes = 1 << 16;
/** After so many bytes others have a turn. */
const turnBytes = 1 << 20;

/** Hash and size of a source. */
export async function digestSource(deps: SourceDeps, source: Source): Promise<BlobRef> {
  const digest = createHash("sha256");
  let size = 0;
  for await (const chunk of readSource(deps, source)) {
    digest.update(chunk);
    size += chunk.length;
  }
  return { hash: digest.digest("hex"), size };
}

/** Store a source as a blob; a large file on the disk is linked instead of copied. */
export async function storeSource(deps: SourceDeps, source: Source): Promise<BlobRef> {
  if (source.kind === "data") return deps.blobs.put(source.data);
  if (source.kind === "disk") return storeFile(deps, source.real);
  const writer = deps.blobs.create();
  try {
    for await (const chunk of readSource(deps, source)) writer.write(chunk);
    return await writer.finish();
  } finally {
    writer.abort();
  }
}

// Each read is a trip through the thread pool, so large files are read in few.
const chunkBytes = 1 << 22;
/** Reading so much takes less time than the trip. */
const smallBytes = 1 << 16;
const readAsync = promisify(read);

/** Read an open file from its start, in chunks; `size` is only a hint. */
export async function* readDescriptor(fd: number, size: bigint): AsyncGenerator<Uint8Array> {
  const room = size < chunkBytes ? Number(size) + 1 : chunkBytes;
  const buffer = Buffer.allocUnsafe(room);
  for (let position = 0; ;) {
    const got =
      room <= smallBytes
        ? readSync(fd, buffer, 0, room, position)
        : (await readAsync(fd, buffer, 0, room, position)).bytesRead;
    if (got === 0) return;
    yield buffer.subarray(0, got);
    position += got;
  }
}

async function storeFile(deps: SourceDeps, real: string): Promise<BlobRef> {
  const file = openRegular(deps.opener, real);
  try {
    const { fd, at } = file;
    return await deps.blobs.putFile({ fd, ...(typeof at === "string" && { linkFrom: at }) });
  } finally {
    file.close();
  }
}

async function* readDisk(opener: Opener, real: string): AsyncGenerator<Uint8Array> {
  const file = openRegular(opener, real);
  try {
    yield* readDescriptor(file.fd, file.size);
  } finally {
    file.close();
  }
}

async function* readBlob(
  blobs: BlobStore,
  hash: string,
  range?: { readonly offset: number; readonly size: number },
): AsyncGenerator<Uint8Array> {
  const reader = blobs.open(hash);
  try {
    const end = range === undefined ? reader.size : range.offset + range.size;
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let position = range?.offset ?? 0; position < end;) {
      const got = reader.readInto(buffer.subarray(0, Math.min(chunkBytes, end - position)), position);
      if (got === 0) return;
      yield buffer.subarray(0, got);
      position += got;
    }
  } finally {
    reader.close();
  }
}

interface RegularFile {
  readonly fd: number;
  readonly size: bigint;
  /** A path to the same name, for a link to it. */
  readonly at: string | Buffer;
  close(): void;
}

/** Open a regular file by its real path; its type is checked before, so that nothing else is ever opened. */
function openRegular(opener: Opener, real: string): RegularFile {
  const opened = openPath(opener, real);
  try {
    const handle = opener.openChild(opened.directory, path.basename(real), real);
    try {
      if (!handle.stat.isFile()) throw notRegularFile(real);
      const fd = handle.reopen(constants.O_RDONLY | constants.O_NONBLOCK);
      const close = (): void => {
        closeSync(fd);
        opened.directory.close();
      };
      return { fd, size: handle.stat.size, at: opened.at, close };
    } finally {
      handle.close();
    }
  } catch (error) {
    opened.directory.close();
    throw error;
  }
}
