import { actions, answer, type Instruction, load, toBytes, unless, when } from "./bpf.js";
import { auditArch, type FilterArch, judgedCalls, numberOf, refusedCalls } from "./system-calls.js";

/** What a filter leaves open. */
export interface FilterOptions {
  readonly arch: FilterArch;
  /** Let programs make sockets of the family AF_UNIX. @default false */
  readonly unixSockets?: boolean | undefined;
}

/**
 * The system calls that a command may not make, as a program for the kernel.
 * What is not named is allowed: namespaces, mounts and dropped rights are the wall, this narrows what
 * of the kernel can be reached from inside.
 */
export function createFilter(options: FilterOptions): Uint8Array {
  return toBytes([
    load(offsets.arch),
    // Another architecture has other numbers: an i386 call could mean anything here.
    ...unless("equal", auditArch[options.arch], [answer(actions.kill)]),
    load(offsets.number),
    // The x32 numbers are a second way to every call; -1 is one that programs use to ask for nothing.
    ...when("atLeast", x32, [answer(actions.refuse(errors.ENOSYS))]),
    ...Object.values(refusedCalls).flatMap((numbers) => onCall(numberOf(numbers, options.arch), [refused])),
    ...judge(options),
    answer(actions.allow),
  ]);
}

/** Whether there is a filter for an architecture. */
export function hasFilter(arch: string): arch is FilterArch {
  return Object.hasOwn(auditArch, arch);
}

const offsets = { number: 0, arch: 4 } as const;
const x32 = 0x4000_0000;
const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
const refused = answer(actions.refuse(errors.EPERM));
const allowed = answer(actions.allow);

function judge({ arch, unixSockets = false }: FilterOptions): Instruction[] {
  const on = (name: keyof typeof judgedCalls, body: readonly Instruction[]): Instruction[] =>
    onCall(numberOf(judgedCalls[name], arch), body);
  return [
    // Its flags lie in memory; programs fall back to clone.
    ...on("clone3", [answer(actions.refuse(errors.ENOSYS))]),
    ...on("clone", [argument(0), ...when("anyBit", newNamespaces, [refused]), allowed]),
    ...on("unshare", [argument(0), ...when("anyBit", newNamespaces | newTime, [refused]), allowed]),
    ...on("socket", judgeSocket(unixSockets)),
    ...on("socketpair", judgePair(unixSockets)),
    ...on("ioctl", [
      argument(1),
      ...when("equal", ioctls.TIOCSTI, [refused]),
      ...when("equal", ioctls.TIOCLINUX, [refused]),
      allowed,
    ]),
    ...on("personality", [
      argument(0),
      ...personalities.flatMap((value) => when("equal", value, [allowed])),
      refused,
    ]),
    ...judgeModes(on),
  ];
}

/** Every CLONE_NEW* but time, whose bit means a signal in clone. */
const newNamespaces = 0x7e02_0000;
const newTime = 0x80;
const ioctls = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c } as const;
/** Linux, 32-bit names, no randomised addresses (for debuggers), both, and "tell only". */
const personalities = [0, 0x8, 0x4_0000, 0x4_0008, 0xffff_ffff] as const;

const families = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 } as const;

function judgeSocket(unixSockets: boolean): Instruction[] {
  return [
    argument(0),
    ...when("equal", families.AF_INET, [allowed]),
    ...when("equal", families.AF_INET6, [allowed]),
    ...when("equal", families.AF_UNIX, [unixSockets ? allowed : refused]),
    // Programs list the network's interfaces by protocol 0; the other protocols lead deep into the kernel.
    ...when("equal", families.AF_NETLINK, [argument(2), ...when("equal", 0, [allowed]), refused]),
    answer(actions.refuse(errors.EAFNOSUPPORT)),
  ];
}

/**
 * A pair is joined from birth, so it reaches nobody else, and Node's children talk through one. But one
 * of datagrams can be sent to any address, so it counts as a socket.
 */
function judgePair(unixSockets: boolean): Instruction[] {
  if (unixSockets) return [allowed];
  // SOCK_DGRAM is 2, and SOCK_RAW (3) becomes one; streams (1) and packets in order (5) have other bits.
  return [argument(1), ...when("anyBit", 0x2, [refused]), allowed];
}

/** A file that runs as its owner would carry the rights of whoever started Tenon out of the sandbox. */
function judgeModes(
  on: (name: keyof typeof judgedCalls, body: readonly Instruction[]) => Instruction[],
): Instruction[] {
  const mode = (index: number): Instruction[] => [
    argument(index),
    ...when("anyBit", setIdBits, [refused]),
    allowed,
  ];
  const ifCreating = (flags: number): Instruction[] => [
    argument(flags),
    ...unless("anyBit", creates, [allowed]),
    ...mode(flags + 1),
  ];
  return [
    ...on("chmod", mode(1)),
    ...on("fchmod", mode(1)),
    ...on("fchmodat", mode(2)),
    ...on("fchmodat2", mode(2)),
    ...on("creat", mode(1)),
    ...on("mknod", mode(1)),
    ...on("mknodat", mode(2)),
    ...on("open", ifCreating(1)),
    ...on("openat", ifCreating(2)),
    // Its mode lies in memory; programs fall back to openat.
    ...on("openat2", [answer(actions.refuse(errors.ENOSYS))]),
  ];
}

/** S_ISUID and S_ISGID. */
const setIdBits = 0o6000;
/** O_CREAT and the bit of O_TMPFILE that no other flag has. */
const creates = 0x40 | 0x40_0000;

function onCall(number: number | undefined, body: readonly Instruction[]): Instruction[] {
  return number === undefined ? [] : when("equal", number, body);
}

/** Load the low half of an argument: the kernel takes all of these as 32 bits. */
function argument(index: number): Instruction {
  return load(16 + index * 8);
}
