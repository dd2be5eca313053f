import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { flushProgram } from "./flush-files.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-flush-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("writes files of any name, and waits for nothing", () => {
  const names = ["-rf", "<in", "a|", "new\nline", "é", "touch gone|"];
  for (const name of names) writeFileSync(join(folder, name), name);
  execFileSync("mkfifo", [join(folder, "fifo")]);
  const [file = "", ...args] = flushProgram(folder, [...names, "fifo", "missing"]) ?? [];
  expect(execFileSync(file, args, { timeout: 10_000, encoding: "utf8" })).toBe("");
  for (const name of names) expect(readFileSync(join(folder, name), "utf8")).toBe(name);
  expect(flushProgram(folder, names, "riscv64")).toBeUndefined();
});
