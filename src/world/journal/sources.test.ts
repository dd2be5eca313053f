import { createHash, randomBytes } from "node:crypto";
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openBlobs } from "../../store/blobs.js";
import { chooseOpener } from "../files/opener.js";
import { openBelow } from "../testing/open-below.js";
import {
  digestSource,
  holdsBytes,
  readBytes,
  readDescriptor,
  readSource,
  storeSource,
  type Source,
  type SourceDeps,
} from "./sources.js";

let base: string;
let deps: SourceDeps;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-sources-"));
  mkdirSync(join(base, "blobs"));
  let ids = 0;
  deps = { opener: chooseOpener(), blobs: openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`) };
});
afterEach(() => expect(openBelow(base)).toEqual([]));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** The same bytes from everywhere that a content can come from. */
async function allSources(bytes: Buffer): Promise<Source[]> {
  const real = join(base, "file");
  writeFileSync(real, bytes);
  const padded = Buffer.concat([Buffer.from("before"), bytes, Buffer.from("after")]);
  const [own, pack] = [await deps.blobs.put(bytes), await deps.blobs.put(padded)];
  const half = bytes.length >> 1;
  return [
    { kind: "data", data: bytes },
    { kind: "pieces", pieces: [bytes.subarray(0, half), new Uint8Array(), bytes.subarray(half)] },
    { kind: "disk", real },
    { kind: "blob", hash: own.hash },
    { kind: "packed", pack: pack.hash, offset: 6, size: bytes.length },
    { kind: "joined", first: { kind: "data", data: bytes.subarray(0, half) }, rest: bytes.subarray(half) },
    {
      kind: "spliced",
      base: { kind: "data", data: padded },
      head: 0,
      middle: { kind: "data", data: bytes },
      tail: padded.length,
    },
  ];
}

/** Sizes around those at which a content is read in another way. */
const sizes = [0, 1, 2, 65_535, 65_536, 65_537, 131_072, 1 << 22, (1 << 22) + 1];

describe("a content", () => {
  it.each(sizes)("of %i bytes is the same from wherever it comes", async (size) => {
    const bytes = randomBytes(size);
    const digest = { hash: sha(bytes), size };
    for (const source of await allSources(bytes)) {
      expect([source.kind, isSame(await readBytes(deps, source), bytes)]).toEqual([source.kind, true]);
      expect(await digestSource(deps, source)).toEqual(digest);
      expect(await storeSource(deps, source)).toMatchObject(digest);
      expect(isSame(await deps.blobs.read(digest.hash), bytes)).toBe(true);
      expect([source.kind, await holdsBytes(deps, source, bytes)]).toEqual([source.kind, true]);
      const longer = Buffer.concat([bytes, Buffer.from("x")]);
      expect([source.kind, await holdsBytes(deps, source, longer)]).toEqual([source.kind, false]);
      if (size === 0) continue;
      expect([source.kind, await holdsBytes(deps, source, bytes.subarray(1))]).toEqual([source.kind, false]);
      for (const at of size > 1 << 20 ? [size - 1] : [0, size >> 1, size - 1]) {
        const other = Buffer.from(bytes);
        other[at] = (other[at] ?? 0) ^ 1;
        expect([source.kind, at, await holdsBytes(deps, source, other)]).toEqual([source.kind, at, false]);
      }
    }
  });

  it("that is spliced is the base with its middle replaced, however the base is cut into pieces", async () => {
    const cuts = fc.array(fc.nat({ max: 5 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.nat(), fc.nat(), fc.nat({ max: 3 }), async (lengths, one, other, inner) => {
        let next = 0;
        const pieces = lengths.map((length) => Buffer.from(Array.from({ length }, () => (next += 1))));
        const whole = Buffer.concat(pieces);
        const [first, second] = [one % (whole.length + 1), other % (whole.length + 1)];
        const [head, tail] = [Math.min(first, second), Math.max(first, second)];
        const middle = Buffer.alloc(inner, 255);
        const source: Source = {
          kind: "spliced",
          base: { kind: "pieces", pieces },
          head,
          middle: { kind: "data", data: middle },
          tail,
        };
        const expected = Buffer.concat([whole.subarray(0, head), middle, whole.subarray(tail)]);
        expect(Buffer.from(await readBytes(deps, source))).toEqual(expected);
      }),
    );
  });

  it("is read from its place in a pack, which may hold less than it should", async () => {
    const bytes = Buffer.from("0123456789");
    const pack = (await deps.blobs.put(bytes)).hash;
    const read = async (offset: number, size: number): Promise<string> =>
      Buffer.from(await readBytes(deps, { kind: "packed", pack, offset, size })).toString();
    expect(await read(0, 3)).toBe("012");
    expect(await read(7, 3)).toBe("789");
    expect(await read(7, 9)).toBe("789");
    expect(await read(4, 0)).toBe("");
  });

  it("is only ever that of a regular file", async () => {
    const fifo = join(base, "fifo");
    execFileSync("mkfifo", [fifo]);
    symlinkSync("file", join(base, "link"));
    writeFileSync(join(base, "file"), "x");
    for (const name of ["fifo", "link", "blobs"]) {
      const source = { kind: "disk", real: join(base, name) } as const;
      await expect(readBytes(deps, source)).rejects.toMatchObject({ code: "PATH_INVALID" });
      await expect(storeSource(deps, source)).rejects.toMatchObject({ code: "PATH_INVALID" });
      await expect(holdsBytes(deps, source, new Uint8Array())).rejects.toMatchObject({
        code: "PATH_INVALID",
      });
    }
    await expect(readBytes(deps, { kind: "disk", real: join(base, "none") })).rejects.toMatchObject({
      code: "ENOENT",
    });
  });

  it("is closed where its reader stops in the middle", async () => {
    for (const source of await allSources(randomBytes(200_000))) {
      for await (const _ of readSource(deps, source)) break;
      expect(openBelow(base)).toEqual([]);
    }
  });

  it("that cannot be read leaves nothing in the store", async () => {
    const joined: Source = {
      kind: "joined",
      first: { kind: "blob", hash: "0".repeat(64) },
      rest: Buffer.from("x"),
    };
    await expect(storeSource(deps, joined)).rejects.toThrow(/not found/);
    expect(openBelow(base)).toEqual([]);
  });
});

it.each([0n, 1n, 5n, 65_535n, 65_536n, 1n << 22n, 1n << 30n])(
  "an open file is read to its end, though it was said to have %i bytes",
  async (size) => {
    const real = join(base, "grown");
    const bytes = randomBytes(200_001);
    writeFileSync(real, bytes);
    const fd = openSync(real, "r");
    const chunks: Buffer[] = [];
    for await (const chunk of readDescriptor(fd, size)) chunks.push(Buffer.from(chunk));
    closeSync(fd);
    expect(isSame(Buffer.concat(chunks), bytes)).toBe(true);
    // No more memory than the file is said to need, or four megabytes.
    for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(Math.min(Number(size) + 1, 1 << 22));
  },
);
