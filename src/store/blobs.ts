import { hash as hashOnce } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { opendir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../contract/errno.js";
import { ToolResourceNotFoundError } from "../contract/errors.js";
import { removeIfThere } from "../contract/remove-if-there.js";
import type { BlobReader, BlobRef, BlobSource, BlobStore } from "../contract/ports/blobs.js";
import {
  copyFrom,
  createBlobWriter,
  digestOf,
  linkFrom,
  syncFile,
  writeWhole,
  type BlobPlace,
} from "./blob-writer.js";
import { isThere, privateDirectory } from "./state-dir.js";
import { corruptError, toStateError } from "./state-error.js";
import { promisify } from "node:util";
import { constants, deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from "node:zlib";

const partial = ".partial";
const abandonedMs = 60 * 60 * 1000;

/** Contents by their SHA-256 in one flat directory, each file for its owner only; small ones are compressed. */
export function openBlobs(dir: string, newId: () => string): BlobStore {
  privateDirectory(dir);
  const fileOf = (hash: string): string => join(dir, checkedHash(hash));
  const place: BlobPlace = {
    dir,
    fileOf,
    newPartial: () => join(dir, newId() + partial),
    isKept: (ref) => isKept(fileOf(ref.hash), ref),
  };

  return {
    create: () => createBlobWriter(place),
    put: (data, { durable = true } = {}) => explained(dir, () => putData(place, data, durable)),
    putFile: (source) => explained(dir, () => putOpenFile(place, source)),
    open: (hash) => openReader(fileOf(hash), hash),
    async read(hash) {
      const file = fileOf(hash);
      const reading = isThere(file) ? readFile(file) : readPacked(file);
      const data = await reading.catch((error: unknown) => {
        throw errnoOf(error) === "ENOENT" ? missing(hash) : toStateError(error, dir);
      });
      if (digest(data) === hash) return data;
      throw damaged(file);
    },
    async verify(hash) {
      const file = fileOf(hash);
      const size = sizeOf(file);
      if (size === undefined && !isThere(file + packedEnding)) throw missing(hash);
      if (!(await isKept(file, { hash, size: size ?? 0 }))) throw damaged(file);
    },
    has: (hash) => isPresent(fileOf(hash)),
    remove(hash) {
      const file = fileOf(hash);
      removeIfThere(file);
      removeIfThere(file + packedEnding);
    },
    list: () => listHashes(dir),
  };
}

function digest(data: Uint8Array): string {
  return hashOnce("sha256", data);
}

function isPresent(file: string): boolean {
  return isThere(file) || isThere(file + packedEnding);
}

/** A large file is linked or copied in pieces; a small one is read whole, so that it can be compressed. */
async function putOpenFile(place: BlobPlace, source: BlobSource): Promise<BlobRef> {
  const linked = await linkFrom(source, place);
  if (linked !== undefined) return linked;
  if (fstatSync(source.fd).size > maxPackedBytes) return copyFrom(source.fd, createBlobWriter(place));
  return putData(place, readFileSync(source.fd), true);
}

async function putData(place: BlobPlace, data: Uint8Array, durable: boolean): Promise<BlobRef> {
  const ref = { hash: digest(data), size: data.length };
  const file = place.fileOf(ref.hash);
  if (durable ? await place.isKept(ref) : await looksKept(file, ref)) return ref;
  // The newest version of a small file goes with its next change, so packing it does not pay.
  if (!durable && data.length <= maxPackedAtOnce) {
    await writeWhole(file, data, durable);
    return ref;
  }
  if (!(await writePacked(file, data, durable))) await writeWhole(file, data, durable);
  return ref;
}

/** A content that is there already is trusted only after a look: it may stem from before a power cut. */
async function isKept(file: string, ref: BlobRef): Promise<boolean> {
  if (!isThere(file) && isThere(file + packedEnding)) return isPackedKept(file, ref);
  if (sizeOf(file) !== ref.size) return false;
  const fd = openSync(file, "r");
  try {
    if ((await digestOf(fd)).hash !== ref.hash) return false;
    await syncFile(fd);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** A quick look, for what need not last: a process that was killed may have left half of it under its name. */
async function looksKept(file: string, ref: BlobRef): Promise<boolean> {
  if (isThere(file)) return sizeOf(file) === ref.size;
  return isThere(file + packedEnding) && digest(await readPacked(file)) === ref.hash;
}

async function isPackedKept(file: string, ref: BlobRef): Promise<boolean> {
  if (digest(await readPacked(file)) !== ref.hash) return false;
  const fd = openSync(file + packedEnding, "r");
  try {
    await syncFile(fd);
    return true;
  } finally {
    closeSync(fd);
  }
}

function openReader(file: string, hash: string): BlobReader {
  if (!isThere(file) && isThere(file + packedEnding)) return packedReader(readFileSync(file + packedEnding));
  if (!isThere(file)) throw missing(hash);
  const fd = openSync(file, "r");
  return {
    size: statSync(file).size,
    readInto: (buffer, position) => readSync(fd, buffer, 0, buffer.length, position),
    close: () => closeSync(fd),
  };
}

/** All hashes; on the way, what a killed process left half written is removed. */
async function* listHashes(dir: string): AsyncGenerator<string> {
  for await (const { name } of await opendir(dir)) {
    const hash = name.endsWith(packedEnding) ? name.slice(0, -packedEnding.length) : name;
    if (isHash(hash)) yield hash;
    if (name.endsWith(partial)) await removeAbandoned(join(dir, name));
  }
}

async function removeAbandoned(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && found.mtimeMs < Date.now() - abandonedMs) await rm(file, { force: true });
}

async function explained<Result>(dir: string, body: () => Promise<Result>): Promise<Result> {
  try {
    return await body();
  } catch (error) {
    throw toStateError(error, dir);
  }
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

function isHash(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

function checkedHash(hash: string): string {
  if (isHash(hash)) return hash;
  throw missing(hash);
}

function damaged(file: string): Error {
  return corruptError(file, "its content does not match its hash");
}

function missing(hash: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(`Content ${hash.slice(0, 64)} not found in the state.`, {
    hint: "It was dropped by the limits on age and size, or cleared.",
  });
}

const deflateAsync = promisify(deflateRaw);
const inflateAsync = promisify(inflateRaw);

/** The ending of a content that lies there compressed. */
const packedEnding = ".z";

// Below the first a file takes as much of the disk either way; above the second a content is linked or streamed.
// Up to the third it is packed and unpacked sooner than another thread is told of it; a larger one is packed and
// unpacked in one piece, as that thread would be told of each piece.
const minBytes = 1 << 12;
const maxPackedBytes = 1 << 20;
const maxPackedAtOnce = 1 << 15;

/** Write a content compressed, where that saves a good part of it; returns whether it did. */
async function writePacked(file: string, data: Uint8Array, durable: boolean): Promise<boolean> {
  if (data.length < minBytes || data.length > maxPackedBytes) return false;
  const options = { level: constants.Z_BEST_SPEED, chunkSize: data.length };
  const packed =
    data.length <= maxPackedAtOnce ? deflateRawSync(data, options) : await deflateAsync(data, options);
  if (packed.length > data.length * 0.75) return false;
  await writeWhole(file + packedEnding, packed, durable);
  // What lay there uncompressed was found damaged, or this would not have been called.
  removeIfThere(file);
  return true;
}

/** The bytes of a compressed content; empty where they are damaged, which no hash that is asked for fits. */
async function readPacked(file: string): Promise<Buffer> {
  const packed = readFileSync(file + packedEnding);
  const options = { maxOutputLength: maxPackedBytes, chunkSize: maxPackedBytes };
  try {
    return packed.length <= maxPackedAtOnce
      ? inflateRawSync(packed, options)
      : await inflateAsync(packed, options);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Read from a compressed content as from a file. */
function packedReader(packed: Uint8Array): BlobReader {
  const data = inflateRawSync(packed, { maxOutputLength: maxPackedBytes });
  return {
    size: data.length,
    readInto: (buffer, position) => data.copy(buffer, 0, position, position + buffer.length),
    close: () => {},
  };
}
