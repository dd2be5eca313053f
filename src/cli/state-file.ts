import { once } from "node:events";
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { createGunzip, createGzip } from "node:zlib";
import { UsageError } from "./command-line.js";

/** Write a packed file for its owner only, whole or not at all; an existing one is never overwritten. */
export async function writeBackup<Result>(
  file: string,
  produce: (write: (text: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const partial = `${file}.partial`;
  const fd = create(partial);
  try {
    const gzip = createGzip();
    const written = writeAll(fd, gzip as AsyncIterable<Uint8Array>);
    written.catch(() => {}); // told to whoever writes or waits below
    const result = await produce(async (text) => {
      // Where the disk is full nobody drains: that fault ends the wait.
      if (!gzip.write(text)) await Promise.race([once(gzip, "drain"), written]);
    });
    gzip.end();
    await written;
    fsyncSync(fd);
    publish(partial, file);
    return result;
  } finally {
    closeSync(fd);
    rmSync(partial, { force: true });
  }
}

/** The bytes of a file, unpacked where it is packed. */
export async function* unpacked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const rest = (async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  const isPacked = first.value[0] === 0x1f && first.value[1] === 0x8b;
  if (!isPacked) {
    yield* rest;
    return;
  }
  const gunzip = createGunzip();
  const { Readable } = await import("node:stream");
  Readable.from(rest, { objectMode: false })
    .on("error", (error) => gunzip.destroy(error))
    .pipe(gunzip);
  yield* gunzip as AsyncIterable<Uint8Array>;
}

function create(partial: string): number {
  try {
    return openSync(partial, "wx", 0o600);
  } catch (error) {
    throw new UsageError(`${partial} cannot be made: ${reasonOf(error)}.`);
  }
}

/** A link fails where the name is taken; a rename would replace what is there. */
function publish(partial: string, file: string): void {
  try {
    linkSync(partial, file);
  } catch (error) {
    throw new UsageError(
      `${file} cannot be written: ${reasonOf(error)}. Name a file that does not exist yet.`,
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function writeAll(fd: number, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    for (let written = 0; written < chunk.length;) written += writeSync(fd, chunk, written);
  }
}
