import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mountCheck, mountsBelow } from "./mount-check.js";
import { runProgram } from "./run-program.js";
import { type Fixture, openFixture } from "./sandbox.fixture.js";

describe("a job that swaps folders while other commands start", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture({ protectedPaths: ["**/.vscode/**", "**/.git/**"] });
    fixture.write("home/.ssh/id_rsa", "home secret");
    fixture.write("home/.vscode/id_rsa", "home secret");
    fixture.write("work space/sub/.vscode/x", "x");
  });
  afterAll(() => fixture.close());

  it("gets no folder of the machine mounted", async () => {
    // Exchange a folder for a link to the keys, as fast as the kernel can (renameat2 with RENAME_EXCHANGE).
    const number = process.arch === "arm64" ? 276 : 316;
    const flip = `
      mkdir ".vscode"; mkdir ".git"; mkdir ".git/hooks"; symlink("${fixture.home}/.ssh", "l1"); symlink("${fixture.home}/.ssh", "l2"); symlink("${fixture.home}", "l3");
      @a = (".vscode", "l1", ".git", "l2", "sub", "l3"); $| = 1; print "up\\n";
      while (1) { syscall(${number}, -100, $a[0], -100, $a[1], 2); syscall(${number}, -100, $a[2], -100, $a[3], 2); syscall(${number}, -100, $a[4], -100, $a[5], 2); select(undef, undef, undef, 0.001); }`;
    const job = await fixture.wrap({ argv: ["/usr/bin/perl", "-e", flip] });
    const child = spawn(job.file, job.args, {
      env: job.env,
      cwd: "/",
      stdio: ["ignore", "pipe", "inherit", "pipe", "pipe"],
    });
    for (const { fd, data } of job.extraFds) (child.stdio[fd] as NodeJS.WritableStream).end(data);
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    const seen = new Set<string>();
    try {
      for (let round = 0; round < 60; round += 1) {
        const { code, stdout } = await fixture.sh(
          "for d in .vscode .git l1 l2 sub/.vscode l3/.vscode; do cat $d/id_rsa; touch $d/planted; done 2>/dev/null",
        );
        seen.add(`${code === 125 ? "stopped" : "ran"}: ${stdout}`);
      }
    } finally {
      child.kill("SIGKILL");
    }
    for (const what of seen) expect(["stopped: ", "ran: "]).toContain(what);
    for (const name of [".ssh", ".vscode"]) expect(readdirSync(join(fixture.home, name))).toEqual(["id_rsa"]);
    expect(readdirSync(fixture.home).toSorted()).toEqual([".ssh", ".vscode"]);
  });
});

describe("the look at what was mounted", () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-mountinfo-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const check = async (root: string, mountinfo: string): Promise<number | null> => {
    const file = join(folder, "mountinfo");
    writeFileSync(file, `${mountinfo}\n`);
    const nested = mountsBelow(root, "1 1 8:1 / /w\\040s/disk rw - ext4 x rw");
    const script = mountCheck([{ path: root, nested }], file);
    const { code } = await runProgram({ file: "/bin/sh", args: ["-c", script], env: {}, timeoutMs: 5000 });
    return code;
  };
  const own = "1 1 8:1 /home/w /w\\040s rw - ext4 x rw";

  it.each([
    ["2 1 8:1 /home/w/.git /w\\040s/.git rw - ext4 x rw", 0],
    ["2 1 8:1 /root/.ssh /w\\040s/.git ro - ext4 x rw", 125],
    ["2 1 8:1 /home/w2 /w\\040s/.git ro - ext4 x rw", 125],
    ["2 1 8:1 / /w\\040s/.git ro - ext4 x rw", 125],
    ["2 1 0:5 /null /w\\040s/.env ro - devtmpfs x rw", 0],
    ["2 1 8:1 /null /w\\040s/.env ro - ext4 x rw", 125],
    ["2 1 0:30 / /w\\040s/secret ro - tmpfs x rw,mode=000", 0],
    ["2 1 0:30 / /w\\040s/secret ro - tmpfs x rw,mode=755", 125],
    ["2 1 8:9 / /w\\040s/disk rw - ext4 x rw", 0],
    ["2 1 8:1 /root /elsewhere rw - ext4 x rw", 0],
  ])("judges %s", async (line, code) => {
    expect(await check("/w s", `${own}\n${line}`)).toBe(code);
  });
});
