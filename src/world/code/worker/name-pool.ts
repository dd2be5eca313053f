import { IntList } from "./int-list.js";

/** Names as bytes, each stored once, so that a name gets its id without becoming a string. */
export class NamePool {
  #slots = new Int32Array(1 << 16).fill(-1);
  #bytes = new Uint8Array(1 << 20);
  readonly #starts = new IntList(1 << 14);
  readonly #hashes = new IntList(1 << 14);
  #used = 0;
  #reported = 0;

  get count(): number {
    return this.#starts.length;
  }

  /** The id of the name in `source` from `start` to `end`; `hash` is the hash of its bytes. */
  add(source: Uint8Array, span: { readonly start: number; readonly end: number }, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const id = this.#slots[slot]!;
      if (id === -1) return this.#put(source, span, { hash, slot });
      if (this.#hashes.at(id) === hash && this.#equals(id, source, span)) return id;
    }
  }

  /** The names added since the last call, one per line. */
  takeNew(): string {
    const parts: string[] = [];
    for (let id = this.#reported; id < this.count; id += 1) {
      parts.push(Buffer.from(this.#bytes.buffer, this.#starts.at(id), this.#lengthOf(id)).toString("utf8"));
    }
    this.#reported = this.count;
    return parts.join("\n");
  }

  #lengthOf(id: number): number {
    const next = id + 1 < this.count ? this.#starts.at(id + 1) : this.#used;
    return next - this.#starts.at(id);
  }

  #equals(id: number, source: Uint8Array, { start, end }: { start: number; end: number }): boolean {
    const from = this.#starts.at(id);
    if (this.#lengthOf(id) !== end - start) return false;
    const bytes = this.#bytes;
    for (let at = start, own = from; at < end; at += 1, own += 1) {
      if (source[at] !== bytes[own]) return false;
    }
    return true;
  }

  #put(
    source: Uint8Array,
    { start, end }: { start: number; end: number },
    { hash, slot }: { hash: number; slot: number },
  ): number {
    const length = end - start;
    if (this.#used + length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#used + length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(source.subarray(start, end), this.#used);
    const id = this.count;
    this.#starts.push(this.#used);
    this.#hashes.push(hash);
    this.#used += length;
    this.#slots[slot] = id;
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let id = 0; id < this.count; id += 1) {
      const hash = this.#hashes.at(id);
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (slots[slot] !== -1) slot = (slot + 1) & mask;
      slots[slot] = id;
    }
    this.#slots = slots;
  }
}
