import type { Splice } from "./splice.js";

/** Make the new bytes: the old ones with each splice (ascending, not overlapping) put in. */
export function applySplices(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  const result = new Uint8Array(sizeAfter(bytes, splices));
  let from = 0;
  let to = 0;
  for (const { start, end, data } of splices) {
    result.set(bytes.subarray(from, start), to);
    to += start - from;
    result.set(data, to);
    to += data.length;
    from = end;
  }
  result.set(bytes.subarray(from), to);
  return result;
}

function sizeAfter(bytes: Uint8Array, splices: readonly Splice[]): number {
  let size = bytes.length;
  let last = 0;
  for (const { start, end, data } of splices) {
    // Splices out of order would duplicate or drop bytes without a sound.
    if (start < last || end < start || end > bytes.length) {
      throw new RangeError(`Splice ${start}..${end} does not fit ${bytes.length} bytes after ${last}.`);
    }
    last = end;
    size += data.length - (end - start);
  }
  return size;
}
