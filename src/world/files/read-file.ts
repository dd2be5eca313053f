import { closeSync, constants, read as readCallback, readSync } from "node:fs";
import { promisify } from "node:util";
import type { FileStat, ReadRange } from "../../contract/ports/files.js";
import { ToolValidationError } from "../../contract/errors.js";
import { notRegularFile, systemFailure, fileTooLarge, withPathAsync } from "./file-errors.js";
import { toFileStat } from "./file-stat.js";
import { type GuardDeps, openExisting } from "./locate.js";
import { minSpareBytes, type SpareMemory } from "./spare-memory.js";

/** An open regular file, with the descriptor it is read through; to be closed by the one who opened it. */
export interface OpenDescriptor {
  readonly fd: number;
  /** The real path. */
  readonly real: string;
  readonly stat: FileStat;
}

/** Open a regular file for reading; anything else is refused without being opened. Throws errors of node:fs, too. */
export function openForReading(deps: GuardDeps, text: string): OpenDescriptor {
  const handle = openExisting(deps, text, { access: "read" });
  try {
    if (handle.stat.isDirectory()) throw systemFailure(text, "EISDIR");
    if (!handle.stat.isFile()) throw notRegularFile(text);
    const fd = handle.reopen(constants.O_RDONLY | constants.O_NONBLOCK);
    return { fd, real: handle.real, stat: toFileStat(handle.stat) };
  } finally {
    handle.close();
  }
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
  const { range, maxBytes, spare } = limits;
  const { offset, length } = range ? checkRange(range) : wholeFile;
  return withPathAsync(text, async () => {
    const { fd, stat } = openForReading(deps, text);
    try {
      const expected = Math.max(0, Math.min(length, stat.size - offset));
      if (expected > maxBytes) throw fileTooLarge(text, maxBytes);
      const bytes = await readUpTo(fd, { offset, expected, wanted: Math.min(length, maxBytes + 1) }, spare);
      if (bytes.length > maxBytes) throw fileTooLarge(text, maxBytes);
      return { bytes, stat };
    } finally {
      closeSync(fd);
    }
  });
}

const wholeFile = { offset: 0, length: Number.MAX_SAFE_INTEGER };

function checkRange({ offset = 0, length = Number.MAX_SAFE_INTEGER }: ReadRange): Required<ReadRange> {
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
  /** How much the file had when it was opened. */
  readonly expected: number;
}

async function readUpTo(
  fd: number,
  { offset, wanted, expected }: ReadSpan,
  spare: SpareMemory | undefined,
): Promise<Uint8Array> {
  // Room for one byte more shows the end of the file without another buffer or read.
  const size = Math.min(wanted, Math.max(expected + 1, 64));
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
    filled += got;
    if (got === 0 || (got < room && filled === expected)) break;
  }
  return buffer.subarray(0, filled);
}

function growBuffer(buffer: Buffer, limit: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(buffer.length * 2, 4096)));
  buffer.copy(larger);
  return larger;
}
