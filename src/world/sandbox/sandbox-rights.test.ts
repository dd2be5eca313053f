import { readFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fixture, openFixture } from "./sandbox.fixture.js";
import { judgedCalls, numberOf, refusedCalls } from "./seccomp/system-calls.js";

const arch = process.arch === "arm64" ? "arm64" : "x64";
const EPERM = "1";
const ENOSYS = "38";

describe("rights inside the sandbox", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture();
  });
  afterAll(() => fixture.close());

  /** Make a system call from inside, by perl, which every Debian has; its error number, or 0. */
  const callInside = async (number: number, ...args: (number | string)[]): Promise<string> => {
    const script = `@a = (${args.join(", ")}); $r = syscall(${number}, @a); print $r == -1 ? $!+0 : 0; kill 9, $$`;
    const { stdout, stderr } = await fixture.run(["/usr/bin/perl", "-e", `$| = 1; ${script}`]);
    return stdout || stderr;
  };

  it("are none: no capabilities, none to gain, another user than root", async () => {
    const { stdout } = await fixture.sh("cat /proc/self/status; id -u");
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      expect(stdout).toMatch(new RegExp(`^${set}:\\s+0+$`, "m"));
    expect(stdout).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(stdout).toMatch(/^Seccomp:\s+2$/m);
    expect(stdout.trim().split("\n").at(-1)).not.toBe("0");
  });

  it.each([
    ["ptrace", [0, 0, 0, 0]],
    ["mount", ["'none'", "'/tmp'", "'tmpfs'", 0, 0]],
    ["umount2", ["'/tmp'", 2]],
    ["pivot_root", ["'/tmp'", "'/tmp'"]],
    ["chroot", ["'/tmp'"]],
    ["setns", [0, 0]],
    ["open_tree", [-100, "'/'", 1]],
    ["fsopen", ["'tmpfs'", 0]],
    ["io_uring_setup", [1, 0]],
    ["bpf", [0, 0, 0]],
    ["perf_event_open", [0, 0, -1, -1, 0]],
    ["userfaultfd", [0]],
    ["keyctl", [0, -3, 0]],
    ["add_key", ["'user'", "'x'", "'y'", 1, -2]],
    ["open_by_handle_at", [0, 0, 0]],
    ["process_vm_readv", [1, 0, 0, 0, 0, 0]],
    ["init_module", [0, 0, "''"]],
    ["kexec_load", [0, 0, 0, 0]],
    ["reboot", [0, 0, 0, 0]],
    ["swapon", ["'/tmp'", 0]],
    ["settimeofday", [0, 0]],
    ["sethostname", ["'x'", 1]],
    ["syslog", [10, 0, 0]],
  ] as const)("do not reach %s", async (name, args) => {
    expect(await callInside(numberOf(refusedCalls[name], arch)!, ...args)).toBe(EPERM);
  });

  it.each([
    ["unshare", [0x1000_0000], EPERM],
    ["unshare", [0x2_0000], EPERM],
    ["clone", [0x1000_0011, 0, 0, 0, 0], EPERM],
    ["clone3", [0, 0], ENOSYS],
    ["socket", [1, 1, 0], EPERM],
    ["socket", [1, 2, 0], EPERM],
    ["socket", [16, 3, 15], EPERM],
    ["socket", [40, 1, 0], "97"],
    ["socketpair", [1, 2, 0, "'12345678'"], EPERM],
    ["socketpair", [1, 1, 0, "'12345678'"], "0"],
    ["ioctl", [0, 0x5412, "'x'"], EPERM],
    ["ioctl", [0, "0x100005412", "'x'"], EPERM],
    ["ioctl", [0, 0x541c, "'x'"], EPERM],
    ["personality", [0x40_0000], EPERM],
    ["personality", ["0xffffffff"], "0"],
  ] as const)("hold %s(%j)", async (name, args, expected) => {
    expect(await callInside(numberOf(judgedCalls[name], arch)!, ...args)).toBe(expected);
  });

  it.runIf(arch === "x64")("end a process that calls in the numbers of i386", async () => {
    // movl $20, %eax; int $0x80; the answer would be its number.
    const code = String.raw`\xb8\x14\x00\x00\x00\xcd\x80\xc3`;
    const script = `use DynaLoader; $c = "${code}"; $m = syscall(9, 0, 4096, 7, 34, -1, 0); print "mapped\\n"; syscall(0, 0, 0, 0); open(F, ">", "/tmp/c"); print F $c; close F; open(F, "<", "/tmp/c"); syscall(0, fileno(F), $m, 8); $s = DynaLoader::dl_install_xsub("main::x", $m); x(); print "survived\\n"`;
    const { code: exit, stdout } = await fixture.run(["/usr/bin/perl", "-e", `$| = 1; ${script}`]);
    expect([stdout, exit]).toEqual(["mapped\n", 128 + 31]);
  });

  it("do not reach the settings of the kernel", async () => {
    const file = "/proc/sys/kernel/core_pattern";
    const before = readFileSync(file, "utf8");
    // What is written is what stands there: if the wall had a hole, no harm would be done.
    const { stdout, stderr } = await fixture.sh(`v=$(cat ${file}); echo "$v" > ${file} && echo wrote`);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/Read-only|Permission denied/);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("do not reach the modes of the machine's devices and kernel files", async () => {
    const modes = (): number[] =>
      ["/dev/null", "/dev/zero", "/proc/cpuinfo"].map((file) => statSync(file).mode);
    const before = modes();
    const { stdout } = await fixture.sh(
      "chmod 600 /proc/cpuinfo && echo changed; chmod 660 /dev/null /dev/zero; echo x > /dev/null && echo usable",
    );
    expect(stdout).toBe("usable\n");
    expect(modes()).toEqual(before);
  });

  it("show only devices that do no harm", async () => {
    const { stdout } = await fixture.sh("ls /dev; ls /sys; mknod /tmp/disk b 8 0 && echo made");
    const names = stdout.split("\n").filter((name) => name !== "");
    const known = new Set([
      "core",
      "fd",
      "full",
      "null",
      "ptmx",
      "pts",
      "random",
      "shm",
      "stderr",
      "stdin",
      "stdout",
      "tty",
      "urandom",
      "zero",
      "devices",
    ]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it("see no process outside and nothing of its environment", async () => {
    const { stdout } = await fixture.sh(
      "cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; ls -d /proc/[0-9]* | wc -l",
    );
    expect(stdout).not.toContain("vitest");
    expect(stdout).not.toMatch(/NODE|npm_/);
    expect(Number(stdout.trim().split("\n").at(-1))).toBeLessThan(10);
  });

  it("cannot end processes outside", async () => {
    const { stdout } = await fixture.sh(`kill -0 ${process.pid} 2>/dev/null && echo reached; kill -9 -1`);
    expect(stdout).toBe("");
  });

  it("let programs be made and run in memory", async () => {
    const { stdout } = await fixture.run([
      "/usr/bin/perl",
      "-e",
      `$x = "x"; $n = syscall(${arch === "x64" ? 319 : 279}, $x, 0); open(P, ">&=", $n); open(E, "<", "/bin/echo"); binmode P; print P <E>; P->flush; exec { "/proc/self/fd/$n" } "echo", "from memory"`,
    ]);
    expect(stdout).toBe("from memory\n");
  });
});
