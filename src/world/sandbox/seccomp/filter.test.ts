import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { actions, codes } from "./bpf.js";
import { createFilter } from "./filter.js";
import { auditArch, type FilterArch, judgedCalls, numberOf, refusedCalls } from "./system-calls.js";

/** As the kernel runs it, on the 64 bytes that describe a call. */
function judge(
  program: Uint8Array,
  call: { arch: number; number: number; args?: readonly bigint[] },
): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.arch, true);
  for (const [index, arg] of (call.args ?? []).entries()) data.setBigUint64(16 + index * 8, arg, true);
  const view = new DataView(program.buffer);
  let word = 0;
  for (let at = 0; at * 8 < program.length; at += 1) {
    const code = view.getUint16(at * 8, true);
    const k = view.getUint32(at * 8 + 4, true);
    const [jt, jf] = [view.getUint8(at * 8 + 2), view.getUint8(at * 8 + 3)];
    if (code === codes.load) word = data.getUint32(k, true);
    else if (code === codes.return) return k;
    else if (code === codes.jumpIfEqual) at += word === k ? jt : jf;
    else if (code === codes.jumpIfAtLeast) at += word >= k ? jt : jf;
    else if (code === codes.jumpIfAnyBit) at += (word & k) !== 0 ? jt : jf;
    else throw new Error(`the kernel knows no such instruction: ${code}`);
  }
  throw new Error("the program has no end");
}

const EPERM = actions.refuse(1);
const ENOSYS = actions.refuse(38);
const EAFNOSUPPORT = actions.refuse(97);
const word = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });

describe.each<FilterArch>(["x64", "arm64"])("the filter of system calls on %s", (arch) => {
  const program = createFilter({ arch });
  const ask = (name: keyof typeof judgedCalls, ...args: (number | bigint)[]): number =>
    judge(program, {
      arch: auditArch[arch],
      number: numberOf(judgedCalls[name], arch)!,
      args: args.map((arg) => BigInt(arg)),
    });

  it("fits into what the kernel takes", () => {
    expect(program.length / 8).toBeLessThanOrEqual(4096);
  });

  it("kills a call in the numbers of any other architecture", () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.nat(0xffff_ffff), (other, number) => {
        fc.pre(other !== auditArch[arch]);
        expect(judge(program, { arch: other, number })).toBe(actions.kill);
      }),
    );
  });

  it("knows no x32 numbers", () => {
    for (const number of [0x4000_0000, 0x4000_0029, 0xffff_ffff])
      expect(judge(program, { arch: auditArch[arch], number })).toBe(ENOSYS);
  });

  it.each(Object.entries(refusedCalls))("refuses %s whatever its arguments are", (_name, numbers) => {
    const number = numberOf(numbers, arch);
    if (number === undefined) return expect(arch).toBe("arm64");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (args) => {
        expect(judge(program, { arch: auditArch[arch], number, args })).toBe(EPERM);
      }),
      { numRuns: 20 },
    );
  });

  it("allows every call that it does not name", () => {
    const named = new Set(
      [...Object.values(refusedCalls), ...Object.values(judgedCalls)].map((numbers) =>
        numberOf(numbers, arch),
      ),
    );
    for (let number = 0; number < 600; number += 1) {
      if (named.has(number)) continue;
      expect(judge(program, { arch: auditArch[arch], number })).toBe(actions.allow);
    }
  });

  it("allows threads and processes but no new namespace", () => {
    expect(ask("clone", 0x3d_0f00)).toBe(actions.allow);
    expect(ask("clone", 17)).toBe(actions.allow);
    expect(ask("unshare", 0x400)).toBe(actions.allow);
    for (const flag of [
      0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ]) {
      expect(ask("clone", flag | 17)).toBe(EPERM);
      expect(ask("unshare", flag)).toBe(EPERM);
    }
    expect(ask("unshare", 0x80)).toBe(EPERM);
    expect(ask("clone3", 0, 0)).toBe(ENOSYS);
  });

  it("ignores the upper half of arguments, as the kernel does", () => {
    const high = 0xdead_beef_0000_0000n;
    expect(ask("socket", high | 1n)).toBe(EPERM);
    expect(ask("ioctl", 0, high | 0x5412n)).toBe(EPERM);
    expect(ask("unshare", high | 0x1000_0000n)).toBe(EPERM);
    expect(ask("socket", high | 2n)).toBe(actions.allow);
  });

  it("allows internet sockets and the list of interfaces, and nothing else that is a socket", () => {
    for (const family of [2, 10]) expect(ask("socket", family, 1)).toBe(actions.allow);
    expect(ask("socket", 16, 3, 0)).toBe(actions.allow);
    expect(ask("socket", 16, 3, 9)).toBe(EPERM);
    expect(ask("socket", 1, 1)).toBe(EPERM);
    for (const family of [0, 17, 31, 38, 40, 44]) expect(ask("socket", family)).toBe(EAFNOSUPPORT);
  });

  it("allows pairs that reach only each other", () => {
    const flags = 0x8_0800;
    expect(ask("socketpair", 1, 1 | flags)).toBe(actions.allow);
    expect(ask("socketpair", 1, 5 | flags)).toBe(actions.allow);
    expect(ask("socketpair", 1, 2 | flags)).toBe(EPERM);
    expect(ask("socketpair", 1, 3)).toBe(EPERM);
  });

  it("opens unix sockets where they are wanted", () => {
    const open = createFilter({ arch, unixSockets: true });
    const call = (name: "socket" | "socketpair", ...args: bigint[]): number =>
      judge(open, { arch: auditArch[arch], number: numberOf(judgedCalls[name], arch)!, args });
    expect(call("socket", 1n, 1n)).toBe(actions.allow);
    expect(call("socketpair", 1n, 2n)).toBe(actions.allow);
  });

  it("lets no file be made that runs as its owner", () => {
    for (const mode of [0o4755, 0o2755, 0o6000]) {
      expect(ask("fchmod", 3, mode)).toBe(EPERM);
      expect(ask("fchmodat", 3, 0, mode)).toBe(EPERM);
      expect(ask("fchmodat2", 3, 0, mode)).toBe(EPERM);
      expect(ask("mknodat", 3, 0, mode)).toBe(EPERM);
      expect(ask("openat", 3, 0, 0x41, mode)).toBe(EPERM);
      expect(ask("openat", 3, 0, 0x41_0001, mode)).toBe(EPERM);
      expect(ask("openat", 3, 0, 0, mode)).toBe(actions.allow);
    }
    expect(ask("fchmod", 3, 0o1777)).toBe(actions.allow);
    expect(ask("openat", 3, 0, 0x41, 0o644)).toBe(actions.allow);
    expect(ask("openat2", 3, 0, 0)).toBe(ENOSYS);
  });

  it("allows usual personalities only", () => {
    for (const value of [0, 8, 0x4_0000, 0xffff_ffff]) expect(ask("personality", value)).toBe(actions.allow);
    expect(ask("personality", 0x40_0000)).toBe(EPERM);
  });
});
