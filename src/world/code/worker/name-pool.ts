import { IntList } from "./int-list.js";

export const lineFeed = 10;

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

  /** The id of a name that was added before. */
  find(name: Uint8Array, hash: number): number | undefined {
    const mask = this.#slots.length - 1;
    const span = { start: 0, end: name.length };
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const id = this.#slots[slot]!;
      if (id === -1) return undefined;
      if (this.#hashes.at(id) === hash && this.#equals(id, name, span)) return id;
    }
  }

  text(id: number): string {
    return this.bytes(id).toString("utf8");
  }

  /** The bytes of a name, valid until the next name is added. */
  bytes(id: number): Buffer {
    return Buffer.from(this.#bytes.buffer, this.#starts.at(id), this.#lengthOf(id));
  }

  /** Letters of its text. */
  length(id: number): number {
    const start = this.#starts.at(id);
    const bytes = this.#lengthOf(id);
    return isAscii(this.#bytes, start, start + bytes) ? bytes : this.text(id).length;
  }

  /** Whether it begins with letters of ASCII, whatever their case. */
  beginsWith(id: number, lower: Uint8Array): boolean {
    const start = this.#starts.at(id);
    if (this.#lengthOf(id) < lower.length) return false;
    const bytes = this.#bytes;
    for (let at = 0; at < lower.length; at += 1) if (toLower(bytes[start + at]!) !== lower[at]) return false;
    return true;
  }

  /** The names added since the last call, one per line. */
  takeNew(): Uint8Array<ArrayBuffer> {
    const count = this.count - this.#reported;
    if (count === 0) return new Uint8Array();
    const from = this.#starts.at(this.#reported);
    const lines = new Uint8Array(this.#used - from + count - 1).fill(lineFeed);
    for (let id = this.#reported, at = 0; id < this.count; id += 1) {
      lines.set(this.bytes(id), at);
      at += this.#lengthOf(id) + 1;
    }
    this.#reported = this.count;
    return lines;
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
      const larger = new Uint8Array(Math.max(Math.ceil(this.#bytes.length * 1.5), this.#used + length));
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

/** Whether there are only letters of ASCII. */
export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at]! >= 0x80) return false;
  return true;
}

/** A letter of ASCII in lower case. */
export function toLower(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}
