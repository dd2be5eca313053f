import { IntList } from "./int-list.js";

/** A table of names with their ids, searchable by prefix. */
export interface Names {
  readonly count: number;
  /** The id of a name, which is added if it is new. */
  add(name: string): number;
  find(name: string): number | undefined;
  text(id: number): string;
  /** Names that begin with a text, whatever the case. */
  startingWith(lower: string): Iterable<number>;
}

/** Each name is stored once. Names with the same first letters share a bucket, so a prefix is found without sorting. */
export function createNames(): Names {
  const texts: string[] = [];
  const ids = new Map<string, number>();
  const buckets = new Map<string, IntList>();
  return {
    get count() {
      return texts.length;
    },
    add(name) {
      const known = ids.get(name);
      if (known !== undefined) return known;
      const id = texts.length;
      texts.push(name);
      ids.set(name, id);
      const key = bucketOf(name.slice(0, bucketLength).toLowerCase());
      let bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, (bucket = new IntList(8)));
      bucket.push(id);
      return id;
    },
    find: (name) => ids.get(name),
    text: (id) => texts[id] ?? "",
    *startingWith(lower) {
      const key = bucketOf(lower.slice(0, bucketLength));
      const fitting = lower.length >= bucketLength ? [buckets.get(key)] : bucketsFor(buckets, key);
      for (const bucket of fitting) {
        for (const id of bucket?.view() ?? []) {
          if (
            (texts[id] ?? "")
              .slice(0, lower.length + 4)
              .toLowerCase()
              .startsWith(lower)
          )
            yield id;
        }
      }
    },
  };
}

const bucketLength = 3;

function bucketOf(lower: string): string {
  return lower.slice(0, bucketLength);
}

function bucketsFor(buckets: ReadonlyMap<string, IntList>, start: string): IntList[] {
  return [...buckets].filter(([key]) => key.startsWith(start)).map(([, bucket]) => bucket);
}
