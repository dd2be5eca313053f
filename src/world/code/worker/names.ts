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

/** Names by their first letters, and within these by some more: many begin with "get" or "create". */
type Buckets = Map<string, Map<string, number[]>>;

const shortKey = 3;
const longKey = 6;

/** Each name is stored once. Names with the same first letters share a bucket, so a prefix is found without sorting. */
export function createNames(): Names {
  const texts: string[] = [];
  const ids = new Map<string, number>();
  const buckets: Buckets = new Map();
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
      addTo(buckets, name.slice(0, longKey).toLowerCase(), id);
      return id;
    },
    find: (name) => ids.get(name),
    text: (id) => texts[id] ?? "",
    *startingWith(lower) {
      for (const bucket of bucketsFor(buckets, lower)) {
        for (const id of bucket) {
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

function addTo(buckets: Buckets, lower: string, id: number): void {
  const short = lower.slice(0, shortKey);
  const long = lower.slice(0, longKey);
  let inner = buckets.get(short);
  if (inner === undefined) buckets.set(short, (inner = new Map()));
  const bucket = inner.get(long);
  if (bucket === undefined) inner.set(long, [id]);
  else bucket.push(id);
}

/** The buckets that can hold names with this beginning. */
function bucketsFor(buckets: Buckets, lower: string): number[][] {
  return valuesFor(buckets, lower, shortKey).flatMap((inner) => valuesFor(inner, lower, longKey));
}

function valuesFor<Value>(map: ReadonlyMap<string, Value>, start: string, keyLength: number): Value[] {
  if (start.length < keyLength) {
    return [...map].filter(([key]) => key.startsWith(start)).map(([, value]) => value);
  }
  const value = map.get(start.slice(0, keyLength));
  return value === undefined ? [] : [value];
}
