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

  constructor(names: readonly string[] = []) {
    for (const name of names) this.idOf(name);
  }

  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#ids.set(name, this.names.length);
    return this.names.push(name) - 1;
  }

  find(name: string): number | undefined {
    return this.#ids.get(name);
  }
}
