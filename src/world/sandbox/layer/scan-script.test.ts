import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { scanProgram } from "./scan-script.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-scan-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.runIf(process.arch === "x64")(
  "begins to write the files that replace others, whatever their names are",
  () => {
    const [upper, below] = [join(folder, "upper"), join(folder, "below")];
    const replacing = ["-rf", "<in", "a|", "new\nline", "é", "touch gone|", "deep/file"];
    for (const root of [upper, below]) {
      mkdirSync(join(root, "deep"), { recursive: true });
      for (const name of replacing) writeFileSync(join(root, name), name);
    }
    writeFileSync(join(upper, "made"), "new");
    execFileSync("mkfifo", [join(upper, "fifo"), join(below, "fifo")]);
    // `fchmod` in place of `sync_file_range` shows for which files it is called.
    const line = scanProgram(below)?.replace(/277$/, "91") ?? "";
    expect(execFileSync("/bin/sh", ["-c", line], { cwd: upper, timeout: 10_000 })).toEqual(Buffer.alloc(1));
    const isCalled = (name: string): boolean => (statSync(join(upper, name)).mode & 0o777) === 0;
    expect([...replacing, "made", "fifo"].filter(isCalled)).toEqual(replacing);
    expect(scanProgram(below, "riscv64")).toBeUndefined();
  },
);
