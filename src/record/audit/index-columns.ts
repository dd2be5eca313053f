/** A column of numbers that grows. */
export class Column<A extends Float64Array | Uint32Array | Uint8Array> {
  #data: A;
  #length = 0;

  constructor(data: A) {
    this.#data = data;
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#data.length) {
      const grown = new (this.#data.constructor as new (length: number) => A)(
        Math.max(1024, this.#length * 2),
      );
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data[this.#length++] = value;
  }

  at(index: number): number {
    return this.#data[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#data[index] = value;
  }

  bytes(): Uint8Array {
    return new Uint8Array(
      this.#data.buffer,
      this.#data.byteOffset,
      this.#length * this.#data.BYTES_PER_ELEMENT,
    );
  }

  /** Replace all values. */
  static of<A extends Float64Array | Uint32Array | Uint8Array>(data: A): Column<A> {
    const column = new Column(data);
    column.#length = data.length;
    return column;
  }
}

/** Numbers for names; each name is stored once. */
export class NameTable {
  readonly names: string[] = [];
  readonly #ids = new Map<string, number>();
  readonly #byHash = new Map<number, number>();

  constructor(names: readonly string[] = []) {
    for (const name of names) this.idOf(name);
  }

  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#ids.set(name, this.names.length);
    this.#byHash.set(nameHash(name), this.names.length);
    return this.names.push(name) - 1;
  }

  /** The number of the known name that stands in a part of a line; nothing where it is new, or not plain ASCII. */
  idOfBytes(line: Uint8Array, start: number, end: number): number | undefined {
    const hash = asciiHash(line, start, end);
    const id = hash === undefined ? undefined : this.#byHash.get(hash);
    return id !== undefined && isTextOf(this.names[id]!, line, start, end) ? id : undefined;
  }

  find(name: string): number | undefined {
    return this.#ids.get(name);
  }
}

/** A number for a name, to find candidates by. */
export function nameHash(name: string): number {
  let hash = hashSeed;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), hashFactor);
  return hash >>> 0;
}

/** The same for the bytes of a name in JSON; nothing where they are not its letters. */
export function asciiHash(line: Uint8Array, start: number, end: number): number | undefined {
  let hash = hashSeed;
  for (let at = start; at < end; at++) {
    const byte = line[at]!;
    if (byte >= 128 || byte === backslash) return undefined;
    hash = Math.imul(hash ^ byte, hashFactor);
  }
  return hash >>> 0;
}

const hashSeed = 0x811c9dc5;
const hashFactor = 0x01000193;
const backslash = 92;

/** Whether a part of a line is a text, letter by letter. */
export function isTextOf(name: string, line: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name.charCodeAt(at) !== line[start + at]) return false;
  return true;
}
