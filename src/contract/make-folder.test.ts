import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeFolder } from "./make-folder.js";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "tenon-folder-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it("makes a folder and its parents for their owner only, and leaves them be the second time", () => {
  for (let time = 0; time < 2; time += 1) makeFolder(join(dir, "a/b/c"), 0o700);
  for (const path of ["a", "a/b", "a/b/c"]) expect(statSync(join(dir, path)).mode & 0o777).toBe(0o700);
});

it.runIf(process.platform === "linux")(
  "fails below /proc, also behind a link, instead of trying for ever",
  () => {
    symlinkSync("/proc", join(dir, "kernel"));
    for (const path of ["/proc/tenon/a/b", join(dir, "kernel/tenon/a")])
      expect(() => makeFolder(path)).toThrow(/ENOENT/);
  },
);

it("fails where a file or a broken link is in the way", () => {
  writeFileSync(join(dir, "file"), "");
  symlinkSync("nowhere", join(dir, "broken"));
  expect(() => makeFolder(join(dir, "file"))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(dir, "file/a/b"))).toThrow(/ENOTDIR/);
  expect(() => makeFolder(join(dir, "broken/a"))).toThrow(/E(?:EXIST|NOENT)/);
});

it.runIf(process.platform === "linux")("keeps `tenon doctor` from spinning with a home below /proc", () => {
  const tenon = join(import.meta.dirname, "../../bin/tenon.cjs");
  const { stdout, signal } = spawnSync(process.execPath, [tenon, "doctor"], {
    cwd: dir,
    env: { PATH: process.env["PATH"], HOME: "/proc/tenon" },
    encoding: "utf8",
    timeout: 60_000,
    killSignal: "SIGKILL",
  });
  expect([signal, stdout]).toEqual([null, expect.stringMatching(/^fail +state .*belongs to the kernel/m)]);
});
