import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, deflateRaw, inflateRaw, inflateRawSync } from "node:zlib";
import type { BlobReader } from "../contract/ports/blobs.js";
import { writeWhole } from "./blob-writer.js";

const deflateAsync = promisify(deflateRaw);
const inflateAsync = promisify(inflateRaw);

/** The ending of a content that lies there compressed. */
export const packedEnding = ".z";

// Below the first a file takes as much of the disk either way; above the second a content is linked or streamed.
const minBytes = 1 << 12;
export const maxPackedBytes = 1 << 20;

/** Write a content compressed, where that saves a good part of it; returns whether it did. */
export async function writePacked(file: string, data: Uint8Array, durable: boolean): Promise<boolean> {
  if (data.length < minBytes || data.length > maxPackedBytes) return false;
  const packed = await deflateAsync(data, { level: constants.Z_BEST_SPEED });
  if (packed.length > data.length * 0.75) return false;
  await writeWhole(file + packedEnding, packed, durable);
  // What lay there uncompressed was found damaged, or this would not have been called.
  rmSync(file, { force: true });
  return true;
}

/** The bytes of a compressed content; empty where they are damaged, which no hash that is asked for fits. */
export async function readPacked(file: string): Promise<Buffer> {
  const packed = await readFile(file + packedEnding);
  return inflateAsync(packed, { maxOutputLength: maxPackedBytes }).catch(() => Buffer.alloc(0));
}

/** Read from a compressed content as from a file. */
export function packedReader(packed: Uint8Array): BlobReader {
  const data = inflateRawSync(packed, { maxOutputLength: maxPackedBytes });
  return {
    size: data.length,
    readInto: (buffer, position) => data.copy(buffer, 0, position, position + buffer.length),
    close: () => {},
  };
}
