/**
 * A map whose entries come and go, such as calls that run, of which there is mostly one at a time. The newest entry stands
 * apart: whenever a `Map` is emptied V8 makes a new table for it, and a table that has become old keeps all later ones.
 */
export class TransientMap<Key, Value> {
  #newest: { readonly key: Key; readonly value: Value } | undefined;
  readonly #others = new Map<Key, Value>();

  get size(): number {
    return this.#others.size + (this.#newest === undefined ? 0 : 1);
  }

  get(key: Key): Value | undefined {
    return this.#newest?.key === key ? this.#newest.value : this.#others.get(key);
  }

  has(key: Key): boolean {
    return this.#newest?.key === key || this.#others.has(key);
  }

  set(key: Key, value: Value): void {
    if (this.#newest !== undefined && this.#newest.key !== key)
      this.#others.set(this.#newest.key, this.#newest.value);
    if (this.#others.size > 0) this.#others.delete(key);
    this.#newest = { key, value };
  }

  delete(key: Key): boolean {
    if (this.#newest?.key !== key) return this.#others.size > 0 && this.#others.delete(key);
    this.#newest = undefined;
    return true;
  }

  clear(): void {
    this.#newest = undefined;
    this.#others.clear();
  }

  /** In the order in which they were set. */
  *keys(): Generator<Key> {
    yield* this.#others.keys();
    if (this.#newest !== undefined) yield this.#newest.key;
  }

  /** In the same order. */
  *values(): Generator<Value> {
    yield* this.#others.values();
    if (this.#newest !== undefined) yield this.#newest.value;
  }
}
