import { describe, expect, it } from "vitest";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createDirectLauncher } from "./direct-launcher.js";
import { drainAfterExit, drainMs } from "./drain-after-exit.js";
import { createHelperLauncher } from "./helper-launcher.js";
import type { Launch, Launcher } from "./launch.js";
import { tmpdir } from "node:os";

const launchers: [string, () => Launcher][] = [
  ["direct", () => createDirectLauncher()],
  [
    "helper",
    () =>
      createHelperLauncher({
        bash: "/bin/bash",
        tempDir: tmpdir(),
        tag: "test",
        openGroup: () => undefined,
        groupDirs: () => [],
        leftovers: () => [],
        adoptOrphans: () => false,
        onLate: () => {},
      }),
  ],
];

async function run(launcher: Launcher, launch: Partial<Launch>) {
  const output = { stdout: "", stderr: "" };
  const running = await launcher.launch(
    { file: "/bin/sh", args: [], cwd: "/", env: {}, ...launch },
    (stream, bytes) => {
      output[stream] += Buffer.from(bytes).toString("latin1");
      return undefined;
    },
  );
  const { code } = await running.exited;
  await running.drained;
  return { ...output, code };
}

function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe.each(launchers)("the %s launcher", (_name, open) => {
  it("loses no output of a program that ends while this process stands still", async () => {
    const launcher = open();
    await run(launcher, { args: ["-c", "true"] });
    let got = "";
    const launching = launcher.launch(
      { file: "/bin/sh", args: ["-c", "echo here"], cwd: "/", env: {} },
      (_stream, bytes) => {
        got += Buffer.from(bytes).toString("latin1");
        return undefined;
      },
    );
    await nextTurn();
    standStill(300);
    const running = await launching;
    await running.exited;
    const tree = { pid: running.pid, tag: "no-such-tag", sandboxed: false };
    const ending = drainAfterExit(running, tree, {
      stopLeftovers: (_, done) => done(),
      sweepLater: () => {},
    });
    standStill(drainMs + 50);
    expect(await ending).toEqual({ leftBehind: false, leftovers: [] });
    expect(got).toBe("here\n");
    await launcher.close();
  });

  it("gives a program its arguments, folder, variables and descriptors, and nothing else", async () => {
    const launcher = open();
    const data = Buffer.from([0, 1, 2, 255, 10, 65]);
    const script = 'echo "$1"; pwd; echo "$A"; cat <&3 | od -An -tx1; cat <&4; echo err >&2; exit 9';
    const fds = [
      { fd: 3, data },
      { fd: 4, data: Buffer.from("four") },
    ];
    const result = await run(launcher, {
      args: ["-c", script, "sh", "it's $x"],
      cwd: "/usr",
      env: { A: "1 '2", PATH: "/usr/bin:/bin" },
      fds,
    });
    expect(result).toEqual({
      stdout: "it's $x\n/usr\n1 '2\n 00 01 02 ff 0a 41\nfour",
      stderr: "err\n",
      code: 9,
    });
    const { stdout } = await run(launcher, { file: "/usr/bin/env", env: { ONLY: "this" } });
    expect(stdout.split("\n").filter((line) => !/^(?:PWD|_|)(?:=|$)/.test(line))).toEqual(["ONLY=this"]);
    await launcher.close();
  });

  it("waits where the reader is behind, and loses nothing", async () => {
    const launcher = open();
    let bytes = 0;
    const running = await launcher.launch(
      {
        file: "/bin/sh",
        args: ["-c", "head -c 3000000 /dev/zero"],
        cwd: "/",
        env: { PATH: "/usr/bin:/bin" },
      },
      (_stream, chunk) => {
        bytes += chunk.length;
        return new Promise((resolve) => setTimeout(resolve, 2));
      },
    );
    await running.drained;
    expect(bytes).toBe(3_000_000);
    await launcher.close();
  });

  it("says what is wrong with the folder", async () => {
    const launcher = open();
    await expect(run(launcher, { cwd: "/no/such/folder" })).rejects.toThrow(/folder "\/no\/such\/folder"/);
    await expect(run(launcher, { cwd: "/etc/passwd" })).rejects.toThrow(/folder/);
    expect(await run(launcher, { args: ["-c", "echo well"] })).toMatchObject({ stdout: "well\n" });
    await launcher.close();
  });

  it("tells of a program that is not there", async () => {
    const launcher = open();
    const outcome = await run(launcher, { file: "/no/such/program" }).catch((error: Error) => error);
    if (outcome instanceof Error) expect(outcome.message).toMatch(/program not found/);
    else
      expect(outcome).toMatchObject({ code: 127, stderr: expect.stringMatching(/No such file/) as string });
    await launcher.close();
  });

  it("can be closed twice, and without ever having been used", async () => {
    const launcher = open();
    await launcher.close();
    await expect(launcher.close()).resolves.toBeUndefined();
  });
});
