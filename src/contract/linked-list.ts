/** A value's place in a list. */
export interface ListEntry<T> {
  readonly value: T;
  before: ListEntry<T> | undefined;
  after: ListEntry<T> | undefined;
}

/**
 * Values in the order in which they were added, any of which can leave in constant time. The first of a `Set` whose
 * oldest values leave takes longer to find: V8 passes the places of all that left since its table was last made.
 */
export class LinkedList<T> implements Iterable<T> {
  #first: ListEntry<T> | undefined;
  #last: ListEntry<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The one that was added before all others. */
  get first(): T | undefined {
    return this.#first?.value;
  }

  /** The one that was added after all others. */
  get last(): T | undefined {
    return this.#last?.value;
  }

  add(value: T): ListEntry<T> {
    const entry: ListEntry<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = entry;
    else this.#last.after = entry;
    this.#last = entry;
    this.#size++;
    return entry;
  }

  /** Take a value out that is in the list. */
  remove(entry: ListEntry<T>): void {
    const { before, after } = entry;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    this.#size--;
    // A removed entry must not refer to its neighbors: once it is in the old generation, it would keep them in memory.
    entry.before = entry.after = undefined;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let entry = this.#first; entry !== undefined;) {
      const { value, after } = entry; // it may be taken out meanwhile
      yield value;
      entry = after;
    }
  }
}
