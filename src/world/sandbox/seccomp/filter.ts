import { actions, answer, type Instruction, load, toBytes, unless, when } from "./bpf.js";
import { auditArch, type FilterArch, judgedCalls, numberOf, refusedCalls } from "./system-calls.js";

/** Options of the filter. */
export interface FilterOptions {
  readonly arch: FilterArch;
  /** Whether programs may create AF_UNIX sockets. @default false */
  readonly unixSockets?: boolean | undefined;
}

/**
 * The system calls that a command may not make, as a BPF program. Everything else is allowed: namespaces, mounts and
 * dropped capabilities are the protection, and the filter reduces the attack surface of the kernel.
 */
export function createFilter(options: FilterOptions): Uint8Array {
  return toBytes([
    load(offsets.arch),
    // Other architectures have other numbers: an i386 call could mean anything here.
    ...unless("equal", auditArch[options.arch], [answer(actions.kill)]),
    load(offsets.number),
    // The x32 numbers are aliases of all calls; -1 is used by programs as an invalid call.
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
    // Its flags are in memory; programs fall back to clone.
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
/** Linux, 32-bit uname, no address randomization (for debuggers), both, and "query only". */
const personalities = [0, 0x8, 0x4_0000, 0x4_0008, 0xffff_ffff] as const;

const families = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 } as const;

function judgeSocket(unixSockets: boolean): Instruction[] {
  return [
    argument(0),
    ...when("equal", families.AF_INET, [allowed]),
    ...when("equal", families.AF_INET6, [allowed]),
    ...when("equal", families.AF_UNIX, [unixSockets ? allowed : refused]),
    // Programs list network interfaces with protocol 0; other protocols reach far into the kernel.
    ...when("equal", families.AF_NETLINK, [argument(2), ...when("equal", 0, [allowed]), refused]),
    answer(actions.refuse(errors.EAFNOSUPPORT)),
  ];
}

/**
 * The two ends of a pair are connected to each other only, and Node uses pairs to talk to its children. But a datagram
 * socket can send to any address, so it is treated like a socket.
 */
function judgePair(unixSockets: boolean): Instruction[] {
  if (unixSockets) return [allowed];
  // SOCK_DGRAM is 2, and SOCK_RAW (3) becomes one; SOCK_STREAM (1) and SOCK_SEQPACKET (5) do not have this bit.
  return [argument(1), ...when("anyBit", 0x2, [refused]), allowed];
}

/** A setuid file would carry the permissions of the user that started Tenon out of the sandbox. */
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
    // Its mode is in memory; programs fall back to openat.
    ...on("openat2", [answer(actions.refuse(errors.ENOSYS))]),
  ];
}

/** S_ISUID and S_ISGID. */
const setIdBits = 0o6000;
/** O_CREAT and the bit that only O_TMPFILE has. */
const creates = 0x40 | 0x40_0000;

function onCall(number: number | undefined, body: readonly Instruction[]): Instruction[] {
  return number === undefined ? [] : when("equal", number, body);
}

/** Load the low half of an argument: the kernel reads all of these as 32 bits. */
function argument(index: number): Instruction {
  return load(16 + index * 8);
}
