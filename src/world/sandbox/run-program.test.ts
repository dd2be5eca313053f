import { expect, it } from "vitest";
import { runProgram } from "./run-program.js";

const env = { PATH: process.env["PATH"] ?? "" };
const sh = (script: string, more: object = {}) =>
  runProgram({ file: "sh", args: ["-c", script], env, timeoutMs: 60_000, ...more });

it("gives the exit code and both outputs, with the given environment at the root", async () => {
  const script = 'echo "$A at $(pwd)"; echo wrong >&2; exit 3';
  expect(await sh(script, { env: { ...env, A: "a" } })).toEqual({
    code: 3,
    stdout: "a at /\n",
    stderr: "wrong\n",
  });
  expect(await sh("cat; exit 0")).toEqual({ code: 0, stdout: "", stderr: "" });
});

it("passes data in further descriptors, and none beyond the highest", async () => {
  const extraFds = [
    { fd: 5, data: Buffer.from("five") },
    { fd: 3, data: Buffer.from("three") },
  ];
  const { stdout } = await sh(
    "cat <&3; echo; cat <&5; echo; ls /proc/self/fd | wc -l; test -e /proc/self/fd/6",
    {
      extraFds,
    },
  );
  expect(stdout.split("\n").slice(0, 2)).toEqual(["three", "five"]);
  expect(await sh("test -e /proc/self/fd/6", { extraFds })).toMatchObject({ code: 1 });
  expect(await sh("test -e /proc/$$/fd/5", { extraFds })).toMatchObject({ code: 0 });
  expect(await sh("test -e /proc/$$/fd/3")).toMatchObject({ code: 1 });
});

it("survives a program that does not read what it is given", async () => {
  const extraFds = [{ fd: 3, data: Buffer.alloc(1_000_000) }];
  expect(await sh("exit 7", { extraFds })).toMatchObject({ code: 7 });
});

it("says why a program could not start, and tells the process id of one that did", async () => {
  const started: number[] = [];
  const missing = { file: "/no/such/program", args: [], env, timeoutMs: 1000 };
  expect(await runProgram(missing, (pid) => started.push(pid))).toMatchObject({
    code: null,
    stderr: expect.stringContaining("ENOENT"),
  });
  expect(started).toEqual([]);
  const run = { file: "sh", args: ["-c", "echo $$"], env, timeoutMs: 60_000 };
  const { stdout } = await runProgram(run, (pid) => started.push(pid));
  expect(started).toEqual([Number(stdout)]);
});

it("ends a program that takes too long, and does not collect output without end", async () => {
  const endless = { file: "sleep", args: ["600"], env, timeoutMs: 50 };
  expect(await runProgram(endless)).toMatchObject({ code: null });
  const { stdout } = await sh("head -c 3000000 /dev/zero | tr '\\0' x");
  expect(stdout.length).toBeGreaterThanOrEqual(64 * 1024);
  expect(stdout.length).toBeLessThan(64 * 1024 * 3);
});
