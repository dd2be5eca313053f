import { once } from "node:events";
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from "node:fs";
import { createGunzip, createGzip } from "node:zlib";
import { errnoOf } from "../contract/errno.js";
import { UsageError } from "./command-line.js";
import { toFileProblem } from "../contract/file-problem.js";

/** Write a compressed file atomically, readable by its owner only; an existing file is never overwritten. */
export async function writeBackup<Result>(
  file: string,
  produce: (write: (text: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const partial = `${file}.partial`;
  const fd = create(file, partial);
  try {
    const gzip = createGzip();
    const written = writeAll(fd, gzip as AsyncIterable<Uint8Array>);
    written.catch(() => {}); // reported by the writes and waits below
    const result = await produce(async (text) => {
      // On a full disk nothing drains: that error ends the wait.
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

/** The bytes of a file, decompressed if it is compressed. */
export async function* unpacked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const rest = (async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
  const isCompressed = first.value[0] === 0x1f && first.value[1] === 0x8b;
  if (!isCompressed) {
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

function create(file: string, partial: string): number {
  try {
    return openSync(partial, "wx", 0o600);
  } catch (error) {
    // Only an earlier backup that did not end is about the partial file itself.
    const named = errnoOf(error) === "EEXIST" ? partial : file;
    throw new UsageError(`Cannot create ${named}: ${toFileProblem(error)}.`);
  }
}

/** A link fails if the name exists; a rename would replace that file. */
function publish(partial: string, file: string): void {
  try {
    linkSync(partial, file);
  } catch (error) {
    throw new UsageError(
      `Cannot write ${file}: ${toFileProblem(error)}. Choose a file that does not exist yet.`,
    );
  }
}

async function writeAll(fd: number, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    for (let written = 0; written < chunk.length;) written += writeSync(fd, chunk, written);
  }
}
