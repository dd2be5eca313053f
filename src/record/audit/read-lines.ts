import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const chunkBytes = 1 << 20;

/** Receives every complete line, without its line end, and its offset; returning `false` stops the reading. */
export type OnLine = (line: Buffer, offset: number) => boolean | void;

/** Read whole lines from `start` on; the buffer is reused. Returns where they ended and how many bytes follow. */
export function readLines(
  file: string,
  onLine: OnLine,
  { start = 0, end = Number.POSITIVE_INFINITY }: { readonly start?: number; readonly end?: number } = {},
): { readonly end: number; readonly torn: number } {
  const fd = openSync(file, "r");
  try {
    return scan(fd, onLine, { start, end });
  } finally {
    closeSync(fd);
  }
}

function scan(
  fd: number,
  onLine: OnLine,
  { start, end }: { readonly start: number; readonly end: number },
): { end: number; torn: number } {
  // A small file needs no large buffer.
  let buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(fstatSync(fd).size - start, 0) + 4096));
  let held = 0; // bytes in the buffer that belong to a line that is not whole yet
  let base = start; // where the buffer begins in the file
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const wanted = Math.min(buffer.length - held, end - base - held);
    const got = wanted <= 0 ? 0 : readSync(fd, buffer, held, wanted, base + held);
    if (got === 0) return { end: base, torn: held };
    const filled = held + got;
    let from = 0;
    for (let to = buffer.indexOf(10, held); to >= 0 && to < filled; to = buffer.indexOf(10, from)) {
      if (onLine(buffer.subarray(from, to), base + from) === false) return { end: base + to + 1, torn: 0 };
      from = to + 1;
    }
    buffer.copyWithin(0, from, filled);
    held = filled - from;
    base += from;
  }
}

/** The bytes of one part of a file. */
export function readPart(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const read = readSync(fd, buffer, got, length - got, offset + got);
    if (read === 0) break;
    got += read;
  }
  return buffer.subarray(0, got);
}
