/** Lines that share one filter. */
export const linesPerBlock = 128;
const filterBytes = 4096;
const mask = filterBytes * 8 - 1;

/** Which letters stood together in blocks of lines: says where a text cannot be. */
export class TextFilter {
  #bits: Uint8Array;
  #blocks: number;

  constructor(bits: Uint8Array = new Uint8Array(0)) {
    this.#bits = bits;
    this.#blocks = bits.length / filterBytes;
  }

  /** Take a part of a line into its block. */
  add(line: number, bytes: Uint8Array, { start, end }: { start: number; end: number }): void {
    const block = Math.floor(line / linesPerBlock);
    this.#grow(block + 1);
    const bits = this.#bits;
    const base = block * filterBytes;
    let [one, two] = [lower(bytes[start] ?? 0), lower(bytes[start + 1] ?? 0)];
    for (let at = start + 2; at < end; at++) {
      const three = lower(bytes[at]!);
      const bit = slot(one, two, three);
      bits[base + (bit >> 3)]! |= 1 << (bit & 7);
      one = two;
      two = three;
    }
  }

  /** Whether a block may hold a text with these slots. */
  mayHold(block: number, slots: readonly number[]): boolean {
    const base = block * filterBytes;
    return slots.every((bit) => (this.#bits[base + (bit >> 3)]! & (1 << (bit & 7))) !== 0);
  }

  bytes(): Uint8Array {
    return this.#bits.subarray(0, this.#blocks * filterBytes);
  }

  #grow(blocks: number): void {
    if (blocks > this.#blocks) this.#blocks = blocks;
    if (this.#bits.length >= blocks * filterBytes) return;
    const grown = new Uint8Array(Math.max(blocks, (this.#bits.length / filterBytes) * 2) * filterBytes);
    grown.set(this.#bits);
    this.#bits = grown;
  }
}

/** The slots of a text; letters beyond ASCII change their bytes with their case and are left out. */
export function slotsOf(text: string): number[] {
  const bytes = Buffer.from(text);
  const slots = new Set<number>();
  for (let at = 0; at + 2 < bytes.length; at++) {
    const [one = 0, two = 0, three = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    if (Math.max(one, two, three) < 128) slots.add(slot(lower(one), lower(two), lower(three)));
  }
  return [...slots];
}

function slot(one: number, two: number, three: number): number {
  const mixed = Math.imul((one << 16) | (two << 8) | three, 0x9e3779b1);
  return ((mixed >>> 13) ^ mixed) & mask;
}

function lower(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte | 32 : byte;
}
