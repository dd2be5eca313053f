import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { leftoversFileFor, readLeftovers } from "./leftovers.js";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-leftovers-"));
  file = join(folder, "left");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("tells what a command used and which processes remained, and removes the file", () => {
  writeFileSync(file, "used 4096 25\n  sleep 600 \n\nnode server.js\n");
  expect(readLeftovers(file)).toEqual({
    leftovers: ["sleep 600", "node server.js"],
    used: { ioBytes: 4096, cpuMs: 250 },
  });
  expect(existsSync(file)).toBe(false);
});

it("reads a file without what was used, and one that was never written", () => {
  writeFileSync(file, "sleep 1\nused 1 2\n");
  expect(readLeftovers(file)).toEqual({ leftovers: ["sleep 1", "used 1 2"] });
  expect(readLeftovers(file)).toEqual({ leftovers: [] });
});

it("names twenty processes at most", () => {
  writeFileSync(file, Array.from({ length: 30 }, (_, at) => `process ${at}`).join("\n"));
  const { leftovers } = readLeftovers(file);
  expect(leftovers).toHaveLength(20);
  expect(leftovers?.at(-1)).toBe("process 19");
});

it("reads no more than the first lines of a file that something else filled", () => {
  writeFileSync(file, `used 1 2\n${"x".repeat(100_000)}\n`);
  const { leftovers } = readLeftovers(file);
  expect(leftovers.map(({ length }) => length)).toEqual([(1 << 16) - "used 1 2\n".length]);
});

it("has a file of its own for each command, but none on a pseudo-terminal or for a program", () => {
  const sandbox = { view: { scratch: { dir: folder } } } as never;
  const fileFor = (command: object): string | undefined => leftoversFileFor(sandbox, command as never);
  expect(fileFor({})).toMatch(/\/left-[a-f0-9]{18}$/);
  expect(fileFor({})?.startsWith(`${folder}/`)).toBe(true);
  expect(fileFor({})).not.toBe(fileFor({}));
  expect(fileFor({ pty: false })).toBeDefined();
  expect(fileFor({ pty: true })).toBeUndefined();
  expect(fileFor({ home: "/home" })).toBeUndefined();
});
