import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attempt } from "../../contract/errno.js";
import { chooseOpener, type Handle } from "./opener.js";
import { syncDirectory, syncDirectoryNow, writeBytes, writePieces } from "./sync-directory.js";

let base: string;
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-sync-")))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** What a new file has after some bytes were written behind two others. */
async function written(write: (fd: number) => Promise<void>): Promise<Buffer> {
  const fd = openSync(join(base, "file"), "w");
  try {
    await writeBytes(fd, Buffer.from("::"));
    await write(fd);
  } finally {
    closeSync(fd);
  }
  const content = readFileSync(join(base, "file"));
  expect(content.subarray(0, 2).toString()).toBe("::");
  return content.subarray(2);
}
const pattern = Uint8Array.from({ length: 251 }, (_, at) => at);
const bytes = (size: number): Buffer => Buffer.alloc(size, pattern);

describe("bytes", () => {
  it.each([0, 1, 256 * 1024, 256 * 1024 + 1, 16 * 1024 * 1024 + 5])("are all written: %i", async (size) => {
    const data = bytes(size);
    const found = await written((fd) => writeBytes(fd, data));
    expect(found.equals(data)).toBe(true);
  });

  it("are written in pieces, empty ones and very many too, in their order", async () => {
    const sizes = fc.array(fc.nat(9), { maxLength: 600 });
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const whole = bytes(lengths.reduce((sum, length) => sum + length, 0));
        let at = 0;
        const pieces = lengths.map((length) => whole.subarray(at, (at += length)));
        expect((await written((fd) => writePieces(fd, pieces))).equals(whole)).toBe(true);
      }),
      { numRuns: 40, examples: [[[]], [[5]], [Array<number>(256).fill(1)], [Array<number>(257).fill(1)]] },
    );
  });
});

describe("a folder's names", () => {
  const isOpen = (fd: number): boolean => attempt(() => fstatSync(fd)) !== undefined;

  it("are flushed through a descriptor that is closed again", async () => {
    const folder = chooseOpener().open(base);
    const opened: number[] = [];
    const watched: Handle = {
      ...folder,
      reopen(flags) {
        expect(flags).toBe(constants.O_RDONLY);
        const fd = folder.reopen(flags);
        opened.push(fd);
        return fd;
      },
    };
    await syncDirectory(watched);
    expect([opened.length, opened.some(isOpen)]).toEqual([1, false]);
    syncDirectoryNow(watched);
    expect([opened.length, opened.some(isOpen)]).toEqual([2, false]);
    folder.close();
  });

  it("stay as they are where the folder cannot be opened or flushed", async () => {
    const folder = chooseOpener().open(base);
    const refusing: Handle = {
      ...folder,
      reopen() {
        throw new Error("no right to read");
      },
    };
    await syncDirectory(refusing);
    syncDirectoryNow(refusing);
    const opened: number[] = [];
    // The kernel has no disk for it.
    const unflushable: Handle = {
      ...folder,
      reopen() {
        const fd = openSync("/proc/self/status", "r");
        opened.push(fd);
        return fd;
      },
    };
    await syncDirectory(unflushable);
    syncDirectoryNow(unflushable);
    expect([opened.length, opened.some(isOpen)]).toEqual([2, false]);
    folder.close();
  });
});
