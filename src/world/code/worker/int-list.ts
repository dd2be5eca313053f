/** A list of whole numbers in one block of memory that grows. */
export class IntList {
  #values: Int32Array;
  length = 0;

  constructor(room = 1024) {
    this.#values = new Int32Array(room);
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#grow(this.length + 1);
    this.#values[this.length++] = value;
  }

  pushAll(values: Int32Array): void {
    if (this.length + values.length > this.#values.length) this.#grow(this.length + values.length);
    this.#values.set(values, this.length);
    this.length += values.length;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  /** The numbers themselves, not a copy. */
  view(): Int32Array {
    return this.#values.subarray(0, this.length);
  }

  #grow(needed: number): void {
    const larger = new Int32Array(Math.max(needed, Math.ceil(this.#values.length * 1.5)));
    larger.set(this.#values);
    this.#values = larger;
  }
}
