import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReadRange } from "../../contract/ports/files.js";
import { openBelow } from "../testing/open-below.js";
import type { GuardDeps } from "./locate.js";
import { chooseOpener } from "./opener.js";
import { createPathRules } from "./path-rules.js";
import { readFileBytes } from "./read-file.js";
import { createSpareMemory } from "./spare-memory.js";

let base: string;
let deps: GuardDeps;
const rulesFor = (workspace: string) =>
  createPathRules({ workspace, stateDir: join(base, "state"), protectedGlobs: [] });
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-read-")));
  mkdirSync(join(base, "ws"));
  deps = { opener: chooseOpener(), rules: rulesFor(join(base, "ws")) };
});
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

const put = (name: string, bytes: Uint8Array | string): void => writeFileSync(join(base, "ws", name), bytes);
const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

describe("the bytes of a file", () => {
  it.each([0, 1, 63, 64, 65, 262_143, 262_144, 262_145, (1 << 22) - 1, 1 << 22, (1 << 22) + 1, 9_000_000])(
    "are all of %i, with or without spare memory",
    async (size) => {
      const bytes = randomBytes(size);
      put("f", bytes);
      for (const spare of [undefined, createSpareMemory()]) {
        const read = await readFileBytes(deps, "f", {
          maxBytes: size,
          ...(spare !== undefined && { spare }),
        });
        expect([isSame(read.bytes, bytes), read.stat.size]).toEqual([true, size]);
      }
      if (size === 0) return;
      await expect(readFileBytes(deps, "f", { maxBytes: size - 1 })).rejects.toMatchObject({
        code: "FILE_TOO_LARGE",
      });
    },
  );

  it("are those of a range, as far as there are any", async () => {
    const bytes = randomBytes(1000);
    put("f", bytes);
    const read = async (range: ReadRange, maxBytes = 100): Promise<Uint8Array> =>
      (await readFileBytes(deps, "f", { range, maxBytes })).bytes;
    for (const [offset, length] of [
      [0, 0],
      [0, 100],
      [5, 10],
      [990, 10],
      [990, 50],
      [1000, 10],
      [5000, 10],
    ] as const)
      expect([
        offset,
        isSame(await read({ offset, length }), bytes.subarray(offset, offset + length)),
      ]).toEqual([offset, true]);
    expect(isSame(await read({ offset: 950 }), bytes.subarray(950))).toBe(true);
    expect(isSame(await read({ length: 7 }), bytes.subarray(0, 7))).toBe(true);
    await expect(read({ offset: 800 })).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
    await expect(read({ length: 101 })).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  });

  it.each([
    [{ offset: -1 }, /offset must be a whole number of at least 0, not -1/],
    [{ offset: 0.5 }, /offset/],
    [{ length: -1 }, /length must be a whole number of at least 0, not -1/],
    [{ length: Number.NaN }, /length.*NaN/],
  ])("are not those of the range %j", async (range, message) => {
    put("f", "x");
    const reading = readFileBytes(deps, "f", { range, maxBytes: 10 });
    await expect(reading).rejects.toMatchObject({
      code: "VALUE_INVALID",
      message: expect.stringMatching(message) as string,
    });
  });

  it("are all of a file that says it has none, up to the limit", async () => {
    const folder = `/proc/${process.pid}`;
    const own = { ...deps, rules: rulesFor(folder) };
    const { bytes } = await readFileBytes(own, "environ", { maxBytes: 1e6 });
    expect(isSame(bytes, readFileSync(`${folder}/environ`))).toBe(true);
    const maps = readFileSync(`${folder}/smaps`).length;
    expect(maps).toBeGreaterThan(10_000);
    const read = await readFileBytes(own, "smaps", { maxBytes: 1e8 });
    expect(read.bytes.length).toBeGreaterThan(10_000);
    expect(Buffer.from(read.bytes).toString()).toMatch(/^[0-9a-f]+-[0-9a-f]+ [^]*VmFlags:[^]*\n$/u);
    await expect(readFileBytes(own, "smaps", { maxBytes: 5000 })).rejects.toMatchObject({
      code: "FILE_TOO_LARGE",
    });
  });

  it("are only those of a regular file", async () => {
    mkdirSync(join(base, "ws/d"));
    execFileSync("mkfifo", [join(base, "ws/p")]);
    symlinkSync("f", join(base, "ws/l"));
    put("f", "text");
    const read = (name: string) => readFileBytes(deps, name, { maxBytes: 10 });
    await expect(read("d")).rejects.toThrow(/directory/i);
    await expect(read("p")).rejects.toMatchObject({ code: "PATH_INVALID" });
    await expect(read("none")).rejects.toMatchObject({ message: expect.stringContaining("none") as string });
    expect(Buffer.from((await read("l")).bytes).toString()).toBe("text");
  });
});
