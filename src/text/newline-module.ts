/** Pages of memory: a window of 1 MiB, and room to round its end up. */
const PAGES = 17;

/**
 * A WebAssembly module that counts how often a unit of 1, 2 or 4 bytes occurs, 64 bytes at a step:
 * `count8`, `count16` and `count32` take `(start, end, unit)`, where `end - start` is a multiple of 64.
 *
 *     (func (param $at i32) (param $end i32) (param $unit i32) (result i32)
 *       (local $count i32) (local $wanted v128)
 *       (local.set $wanted (i8x16.splat (local.get $unit)))
 *       (block (loop
 *         (br_if 1 (i32.ge_u (local.get $at) (local.get $end)))
 *         ;; four times, with the offsets 0, 16, 32 and 48:
 *         (local.set $count (i32.add (local.get $count) (i32.popcnt (i8x16.bitmask
 *           (i8x16.eq (v128.load offset=0 (local.get $at)) (local.get $wanted))))))
 *         (local.set $at (i32.add (local.get $at) (i32.const 64)))
 *         (br 0)))
 *       (local.get $count))
 */
export function newlineModule(): Uint8Array<ArrayBuffer> {
  const bodies = [
    body({ splat: [0x0f], eq: [0x23], bitmask: [0x64] }),
    body({ splat: [0x10], eq: [0x2d], bitmask: [0x84, 0x01] }),
    body({ splat: [0x11], eq: [0x37], bitmask: [0xa4, 0x01] }),
  ];
  const names = ["count8", "count16", "count32"];
  return Uint8Array.from(
    [
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(1, [[0x60, 3, I32, I32, I32, 1, I32]]),
      section(
        3,
        bodies.map(() => [0]),
      ),
      section(5, [[0x00, PAGES]]),
      section(7, [[...text("memory"), 0x02, 0], ...names.map((name, at) => [...text(name), 0x00, at])]),
      section(10, bodies),
    ].flat(),
  );
}

const I32 = 0x7f;
const V128 = 0x7b;
const SIMD = 0xfd;
const END = 0x0b;
const AT = 0;
const LAST = 1;
const UNIT = 2;
const COUNT = 3;
const WANTED = 4;

interface Lanes {
  readonly splat: readonly number[];
  readonly eq: readonly number[];
  readonly bitmask: readonly number[];
}

/** One function, with the instructions for its width. */
function body({ splat, eq, bitmask }: Lanes): number[] {
  const countAt = (offset: number): number[] =>
    [
      get(COUNT),
      [...get(AT), SIMD, 0x00, 0, offset],
      [...get(WANTED), SIMD, ...eq, SIMD, ...bitmask],
      [0x69, 0x6a, ...set(COUNT)],
    ].flat();
  const code = [
    [2, 1, I32, 1, V128],
    [...get(UNIT), SIMD, ...splat, ...set(WANTED)],
    [0x02, 0x40, 0x03, 0x40],
    [...get(AT), ...get(LAST), 0x4f, 0x0d, 1],
    [0, 16, 32, 48].flatMap(countAt),
    [...get(AT), 0x41, 0xc0, 0x00, 0x6a, ...set(AT)],
    [0x0c, 0, END, END],
    [...get(COUNT), END],
  ].flat();
  return [...size(code.length), ...code];
}

function get(local: number): number[] {
  return [0x20, local];
}

function set(local: number): number[] {
  return [0x21, local];
}

function section(id: number, items: readonly (readonly number[])[]): number[] {
  const content = [items.length, ...items.flat()];
  return [id, ...size(content.length), ...content];
}

function text(name: string): number[] {
  return [name.length, ...Buffer.from(name)];
}

/** A length of up to two bytes in LEB128. */
function size(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, value >> 7];
}
