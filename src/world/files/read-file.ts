import { closeSync, constants, read as readCallback, readSync } from "node:fs";
import { promisify } from "node:util";
import type { FileStat, ReadRange } from "../../contract/ports/files.js";
import { ToolValidationError } from "../../contract/errors.js";
import { notRegularFile, systemFailure, fileTooLarge, withPath, withPathAsync } from "./file-errors.js";
import { toFileStat } from "./file-stat.js";
import { type GuardDeps, openExisting } from "./locate.js";
import { minSpareBytes, type SpareMemory } from "./spare-memory.js";

/** An open regular file, with the descriptor it is read through. */
export interface OpenDescriptor {
  readonly fd: number;
  /** The real path. */
  readonly real: string;
  readonly stat: FileStat;
  readonly close: () => void;
}

/** Open a regular file for reading; anything else is refused without being opened. */
export function openForReading(deps: GuardDeps, text: string): OpenDescriptor {
  const handle = openExisting(deps, text, { access: "read" });
  try {
    if (handle.stat.isDirectory()) throw systemFailure(text, "EISDIR");
    if (!handle.stat.isFile()) throw notRegularFile(text);
    const fd = withPath(text, () => handle.reopen(constants.O_RDONLY | constants.O_NONBLOCK));
    return { fd, real: handle.real, stat: toFileStat(handle.stat), close: closeOnce(fd) };
  } finally {
    handle.close();
  }
}

/** A function that closes a descriptor only once, because descriptor numbers are reused. */
export function closeOnce(fd: number): () => void {
  let open = true;
  return () => {
    if (!open) return;
    open = false;
    closeSync(fd);
  };
}

export interface ReadLimits {
  readonly range?: ReadRange | undefined;
  readonly maxBytes: number;
  /** Where memory for a large file comes from. @default new memory */
  readonly spare?: SpareMemory;
}

/** Up to this size a synchronous read is faster than a trip through the thread pool. */
const SYNC_READ_BYTES = 256 * 1024;
const CHUNK_BYTES = 4 * 1024 * 1024;

/** Bytes of a file, and its stat at opening. */
export interface ReadBytes {
  readonly bytes: Uint8Array;
  readonly stat: FileStat;
}

/** Read a file, or a range of a file of any size, within the limit. The size in its stat is only a hint. */
export async function readFileBytes(deps: GuardDeps, text: string, limits: ReadLimits): Promise<ReadBytes> {
  const { offset, length } = checkRange(limits.range);
  const file = openForReading(deps, text);
  try {
    const wanted = Math.min(length, limits.maxBytes + 1);
    const expected = Math.max(0, Math.min(length, file.stat.size - offset));
    if (expected > limits.maxBytes) throw fileTooLarge(text, limits.maxBytes);
    // One byte more, so that the end of the file is found without another buffer.
    const hint = Math.min(wanted, expected + 1);
    const bytes = await withPathAsync(text, () => readUpTo(file.fd, { offset, wanted, hint }, limits.spare));
    if (bytes.length > limits.maxBytes) throw fileTooLarge(text, limits.maxBytes);
    return { bytes, stat: file.stat };
  } finally {
    file.close();
  }
}

function checkRange(range: ReadRange | undefined): { offset: number; length: number } {
  const offset = range?.offset ?? 0;
  const length = range?.length ?? Number.MAX_SAFE_INTEGER;
  for (const [name, value] of Object.entries({ offset, length })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    const message = `The range's ${name} must be a whole number of at least 0, not ${String(value)}.`;
    throw new ToolValidationError(message, { code: "VALUE_INVALID" });
  }
  return { offset, length };
}

const readAsync = promisify(readCallback);

interface ReadSpan {
  readonly offset: number;
  readonly wanted: number;
  readonly hint: number;
}

async function readUpTo(
  fd: number,
  { offset, wanted, hint }: ReadSpan,
  spare: SpareMemory | undefined,
): Promise<Uint8Array> {
  const size = Math.min(wanted, Math.max(hint, 64));
  const isLarge = spare !== undefined && size >= minSpareBytes;
  let buffer: Buffer = isLarge ? spare.take(size) : Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < wanted) {
    if (filled === buffer.length) buffer = growBuffer(buffer, wanted);
    const room = Math.min(buffer.length - filled, wanted - filled, CHUNK_BYTES);
    const got =
      buffer.length <= SYNC_READ_BYTES
        ? readSync(fd, buffer, filled, room, offset + filled)
        : (await readAsync(fd, buffer, filled, room, offset + filled)).bytesRead;
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}

function growBuffer(buffer: Buffer, limit: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(buffer.length * 2, 4096)));
  buffer.copy(larger);
  return larger;
}
