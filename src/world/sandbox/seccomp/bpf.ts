/** One instruction of classic BPF (`struct sock_filter`). */
export interface Instruction {
  readonly code: number;
  /** How many instructions to skip if a comparison is true (`jt`) or false (`jf`). */
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

export const codes = {
  /** Load a 32-bit word of `struct seccomp_data`. */
  load: 0x20,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  jumpIfAnyBit: 0x45,
  return: 0x06,
} as const;

/** What the kernel does with a system call. */
export const actions = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  refuse: (errno: number): number => 0x0005_0000 | errno,
} as const;

export const load = (offset: number): Instruction => ({ code: codes.load, jt: 0, jf: 0, k: offset });

export const answer = (action: number): Instruction => ({ code: codes.return, jt: 0, jf: 0, k: action });

/** Run `body` only if the test is true for the loaded word. */
export function when(
  test: "equal" | "atLeast" | "anyBit",
  k: number,
  body: readonly Instruction[],
): Instruction[] {
  return [{ code: tests[test], jt: 0, jf: distance(body), k }, ...body];
}

/** Run `body` only if the test is false for the loaded word. */
export function unless(
  test: "equal" | "atLeast" | "anyBit",
  k: number,
  body: readonly Instruction[],
): Instruction[] {
  return [{ code: tests[test], jt: distance(body), jf: 0, k }, ...body];
}

/** The program in the format of the kernel; both architectures are little-endian. */
export function toBytes(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jt);
    view.setUint8(index * 8 + 3, jf);
    view.setUint32(index * 8 + 4, k >>> 0, true);
  }
  return bytes;
}

const tests = { equal: codes.jumpIfEqual, atLeast: codes.jumpIfAtLeast, anyBit: codes.jumpIfAnyBit } as const;

function distance(body: readonly Instruction[]): number {
  if (body.length > 255) throw new RangeError("a jump of classic BPF can skip at most 255 instructions");
  return body.length;
}
