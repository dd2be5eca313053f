import type { LineTable } from "./line-table.js";

/** Finds whole lines of a text. */
export interface LineLookup {
  /** Every line at which these lines stand in a row, ascending. */
  find(lines: readonly string[]): readonly number[];
}

/** More places than this are not looked for. */
const maxFound = 100_000;

/**
 * Look up lines of a text by their hashes: no line of it is copied, so that a large file costs one pass over its
 * characters.
 */
export function createLineLookup(text: string, table: LineTable): LineLookup {
  const { count } = table;
  const buckets = 2 ** Math.ceil(Math.log2(2 * count + 2));
  const bucketOf = (source: string, start: number, end: number): number =>
    hashOf(source, start, end) & (buckets - 1);
  // The first line of each bucket; from there, `next` leads through the others.
  const first = new Int32Array(buckets).fill(-1);
  const sizes = new Int32Array(buckets);
  const next = new Int32Array(count);
  for (let at = count - 1; at >= 0; at -= 1) {
    const bucket = bucketOf(text, table.start(at), table.contentEnd(at));
    next[at] = first[bucket] ?? -1;
    first[bucket] = at;
    sizes[bucket] = (sizes[bucket] ?? 0) + 1;
  }
  const isLine = (line: string, at: number): boolean => {
    const start = table.start(at);
    return at < count && table.contentEnd(at) - start === line.length && text.startsWith(line, start);
  };
  return {
    find(lines) {
      // The rarest line of those that are sought leaves the fewest places to compare.
      let rarest: { readonly at: number; readonly bucket: number; readonly size: number } | undefined;
      for (const [at, line] of lines.entries()) {
        const bucket = bucketOf(line, 0, line.length);
        const size = sizes[bucket] ?? 0;
        if (rarest === undefined || size < rarest.size) rarest = { at, bucket, size };
        if (size <= 1) break;
      }
      const found: number[] = [];
      if (rarest === undefined) return found;
      for (let place = first[rarest.bucket] ?? -1; place !== -1; place = next[place] ?? -1) {
        const start = place - rarest.at;
        if (start >= 0 && lines.every((line, at) => isLine(line, start + at))) found.push(start);
        if (found.length >= maxFound) break;
      }
      return found;
    },
  };
}

/** FNV-1a over the characters, with the high bits mixed in. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
