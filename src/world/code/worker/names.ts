import { IntList } from "./int-list.js";
import { isAscii, lineFeed, NamePool, toLower } from "./name-pool.js";
import { hashBytes } from "./scan-names.js";

/** A table of names with their ids, searchable by prefix. */
export interface Names {
  readonly count: number;
  /** The id of a name, which is added if it is new. */
  add(name: string): number;
  /** The ids of names that stand one per line. */
  addLines(lines: Uint8Array): Int32Array;
  find(name: string): number | undefined;
  text(id: number): string;
  /** Its text in UTF-8, valid until the next name is added. */
  bytes(id: number): Uint8Array;
  /** Letters of its text. */
  length(id: number): number;
  /** Names that begin with a text, whatever the case. */
  startingWith(lower: string): Iterable<number>;
}

/**
 * Each name is stored once, as bytes: as strings in maps, half a million names took more memory than all else that the
 * index knows. Names with the same first letters are linked, so that a prefix is found without sorting.
 */
export function createNames(): Names {
  const pool = new NamePool();
  const lists = [new PrefixLists(6, 1 << 18), new PrefixLists(3, 1 << 15), new PrefixLists(2, 1 << 12)];
  /** Names with letters beyond ASCII, whose bytes change with their case. */
  const others = new IntList(64);
  const addBytes = (bytes: Uint8Array, start: number, end: number): number => {
    const { count } = pool;
    const id = pool.add(bytes, { start, end }, hashBytes(bytes, start, end));
    if (id < count) return id;
    const plain = isAscii(bytes, start, end) ? bytes : undefined;
    for (const list of lists) list.add(plain, start, end);
    if (plain === undefined) others.push(id);
    return id;
  };
  return {
    get count() {
      return pool.count;
    },
    add(name) {
      const bytes = Buffer.from(name);
      return addBytes(bytes, 0, bytes.length);
    },
    addLines(lines) {
      const ids = new IntList(256);
      for (let start = 0; start < lines.length;) {
        const found = lines.indexOf(lineFeed, start);
        const end = found === -1 ? lines.length : found;
        ids.push(addBytes(lines, start, end));
        start = end + 1;
      }
      return ids.view();
    },
    find(name) {
      const bytes = Buffer.from(name);
      return pool.find(bytes, hashBytes(bytes, 0, bytes.length));
    },
    text: (id) => pool.text(id),
    bytes: (id) => pool.bytes(id),
    length: (id) => pool.length(id),
    *startingWith(lower) {
      const wanted = Buffer.from(lower);
      if (isAscii(wanted, 0, wanted.length)) {
        const list = lists.find(({ letters }) => letters <= wanted.length);
        const ids = list === undefined ? Array(pool.count).keys() : list.like(wanted);
        for (const id of ids) if (pool.beginsWith(id, wanted)) yield id;
      }
      const isOther = (id: number): boolean => pool.text(id).toLowerCase().startsWith(lower);
      for (const id of others.view()) if (isOther(id)) yield id;
    },
  };
}

/** Names with the same first letters, each linked to the one before it. */
class PrefixLists {
  readonly letters: number;
  /** The last name by a hash of its first letters; -1 where there is none. A map took ten times the memory. */
  readonly #last: Int32Array;
  /** The name before, by name; -1 where there is none. */
  readonly #before = new IntList(1 << 14);

  /** The number of lists is a power of two. Others that come into the same list only cost time. */
  constructor(letters: number, count: number) {
    this.letters = letters;
    this.#last = new Int32Array(count).fill(-1);
  }

  /** Add the next name; one without bytes, or with fewer letters, is in no list. */
  add(bytes: Uint8Array | undefined, start: number, end: number): void {
    const id = this.#before.length;
    if (bytes === undefined || end - start < this.letters) return this.#before.push(-1);
    const key = this.#keyOf(bytes, start);
    this.#before.push(this.#last[key]!);
    this.#last[key] = id;
  }

  /** The names that begin like this one, and perhaps a few others. */
  *like(bytes: Uint8Array): Iterable<number> {
    for (let id = this.#last[this.#keyOf(bytes, 0)]!; id !== -1; id = this.#before.at(id)) yield id;
  }

  #keyOf(bytes: Uint8Array, start: number): number {
    let hash = 0;
    for (let at = start; at < start + this.letters; at += 1)
      hash = Math.imul(hash ^ toLower(bytes[at]!), 0x01000193);
    return (hash ^ (hash >>> 15)) & (this.#last.length - 1);
  }
}
