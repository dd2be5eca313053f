import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import { sourceAfter } from "./plan-splice.js";
import { openWorld, origin, type World } from "./testing/open-world.js";

let base: string;
let world: World;

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "tenon-splice-"));
  world = await openWorld(base);
});

afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(world.root, path);
const text = (path: string): string => readFileSync(at(path), "utf8");
const write = (path: string, content: string): FileMutation => ({
  op: "write",
  path,
  data: Buffer.from(content),
});
const apply = (...mutations: FileMutation[]): Promise<unknown> => world.journal.apply(mutations, origin());

describe("a splice", () => {
  const large = Buffer.from(Array.from({ length: 20_000 }, (_, n) => `line ${n} of a large file\n`).join(""));
  const splice = (before: Buffer, ...splices: [number, number, string][]): FileMutation => ({
    op: "splice",
    path: "large",
    before,
    splices: splices.map(([start, end, text]) => ({ start, end, data: Buffer.from(text) })),
  });
  const blobsKept = async (): Promise<number> => (await world.state.journal.usage()).bytes;

  it.each([
    ["a few bytes", [[1000, 1010, "x"]]],
    ["more than a row holds", [[1000, 9000, "x"]]],
    ["the beginning", [[0, 5, "LINE"]]],
    ["the end", [[large.length, large.length, "more"]]],
    [
      "several places",
      [
        [10, 20, ""],
        [30, 30, "added"],
        [90_000, 90_005, "x"],
      ],
    ],
    ["nearly all of it", [[5, large.length - 5, "x"]]],
  ] as [string, [number, number, string][]][])(
    "of %s keeps what it takes to undo it, and no more",
    async (_what, splices) => {
      writeFileSync(at("large"), large, { mode: 0o640 });
      await apply(splice(large, ...splices));
      const after = readFileSync(at("large"));
      const expected = splices
        .toReversed()
        .reduce(
          (bytes, [start, end, text]) =>
            Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]),
          large,
        );
      expect(after.equals(expected)).toBe(true);
      const taken = Math.max(...splices.map(([, end]) => end)) - Math.min(...splices.map(([start]) => start));
      // What is kept begins and ends with whole lines.
      const twoLines = 2 * "line 19999 of a large file\n".length;
      if (taken < large.length / 4) expect(await blobsKept()).toBeLessThanOrEqual(taken + twoLines);
      await world.journal.undo({ path: "large" }, origin("undo"));
      expect(readFileSync(at("large")).equals(large)).toBe(true);
      expect(statSync(at("large")).mode & 0o777).toBe(0o640);
      await world.journal.undo({ callId: "undo" }, origin());
      expect(readFileSync(at("large")).equals(expected)).toBe(true);
      expect(await world.state.integrity()).toMatchObject({ ok: true });
    },
  );

  it("is refused where the file holds something else, though its size and time are the same", async () => {
    writeFileSync(at("large"), large);
    const other = Buffer.from(large);
    other.write("X", 300_000);
    await expect(apply(splice(other, [0, 1, "x"]))).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    await expect(apply({ op: "delete", path: "large", ifContent: other })).rejects.toMatchObject({
      code: "FILE_CONFLICT",
    });
    await expect(
      apply({ op: "write", path: "large", data: other, options: { ifContent: large.subarray(1) } }),
    ).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    expect(readFileSync(at("large")).equals(large)).toBe(true);
  });

  it("of a file that is too large to hash is undone and redone, unless what it replaced was changed since", async () => {
    const huge = Buffer.concat(Array<Buffer>(3).fill(large));
    const [start, end] = [1000, 201_000];
    writeFileSync(at("large"), huge);
    await apply(splice(huge, [start, end, "x"]));
    const after = readFileSync(at("large"));
    await world.journal.undo({ path: "large" }, origin("undo"));
    expect(readFileSync(at("large")).equals(huge)).toBe(true);
    for (const place of [start, start + 100_000, end - 1]) {
      const other = Buffer.from(huge);
      other.write("X", place);
      writeFileSync(at("large"), other);
      await expect(world.journal.undo({ callId: "undo" }, origin())).rejects.toMatchObject({
        code: "FILE_CONFLICT",
      });
    }
    writeFileSync(at("large"), huge);
    await world.journal.undo({ callId: "undo" }, origin());
    expect(readFileSync(at("large")).equals(after)).toBe(true);
  });

  it("after others can be undone with them, in one go", async () => {
    writeFileSync(at("large"), large);
    let bytes = large;
    for (const text of ["one", "two", "three"]) {
      await world.journal.apply([splice(bytes, [50, 60, text])], origin(text, "task"));
      bytes = readFileSync(at("large"));
    }
    const preview = await world.journal.previewUndo({ taskId: "task" });
    expect(preview.files).toEqual([
      { path: "large", restoredContentLen: large.length, previousContentLen: bytes.length },
    ]);
    expect(readFileSync(at("large")).equals(bytes)).toBe(true);
    await world.journal.undo({ taskId: "task" }, origin());
    expect(readFileSync(at("large")).equals(large)).toBe(true);
  });
});

describe("mutations that are asked for when their turn has come", () => {
  it("see what those before them did, and nothing comes between", async () => {
    writeFileSync(at("n"), "0");
    const add = (): Promise<unknown> =>
      world.journal.apply(async () => [write("n", String(Number(text("n")) + 1))], origin());
    await Promise.all(Array.from({ length: 20 }, add));
    expect(text("n")).toBe("20");
  });

  it("change nothing where they cannot be made", async () => {
    await expect(world.journal.apply(() => Promise.reject(new Error("no")), origin())).rejects.toThrow("no");
    await apply(write("a", "a"));
    expect(text("a")).toBe("a");
  });
});

describe("changes of one call", () => {
  it("see the content that those before them will leave, from wherever it comes", async () => {
    const first = Buffer.alloc(100_000, "first ");
    writeFileSync(at("disk"), Buffer.alloc(70_000, "on disk "));
    const disk = readFileSync(at("disk"));
    const splice = (path: string, before: Buffer): FileMutation => ({
      op: "splice",
      path,
      before,
      splices: [{ start: 0, end: 1, data: Buffer.from("S") }],
    });
    const append = (path: string): FileMutation => ({ op: "append", path, data: Buffer.from("tail") });
    const joined = Buffer.concat([disk, Buffer.from("tail")]);
    await apply(
      write("new", first.toString()),
      splice("new", first),
      append("disk"),
      splice("disk", joined),
      append("created"),
      append("created"),
    );
    expect(text("new")).toBe(`S${first.toString().slice(1)}`);
    expect(text("disk")).toBe(`S${joined.toString().slice(1)}`);
    expect(text("created")).toBe("tailtail");
    const wrong = Buffer.from(joined);
    wrong.write("X", 69_000);
    writeFileSync(at("disk"), disk);
    for (const path of ["disk", "created"])
      await expect(apply(append(path), splice(path, wrong))).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    expect(readFileSync(at("disk")).equals(disk)).toBe(true);
  });
});

describe("undoing the last change of a session", () => {
  it("goes back one entry at a time, past those of others", async () => {
    const by = (sessionId: string, callId: string) => ({ callId, sessionId, tool: "test" });
    await world.journal.apply([write("a", "1")], by("one", "c1"));
    await world.journal.apply([write("b", "1")], by("two", "c2"));
    await world.journal.apply([write("c", "1"), write("d", "1")], by("one", "c3"));
    expect(await world.journal.touchedBy({ lastOf: "one" })).toEqual(["d", "c"]);
    await world.journal.undo({ lastOf: "one" }, by("one", "u1"));
    expect(readdirSync(world.root)).toEqual(["a", "b"]);
    await world.journal.undo({ lastOf: "one" }, by("one", "u2"));
    expect(readdirSync(world.root)).toEqual(["b"]);
    await expect(world.journal.undo({ lastOf: "one" }, by("one", "u3"))).rejects.toMatchObject({
      name: "ToolResourceNotFoundError",
    });
  });
});

describe("splices that do not fit", () => {
  const data = Buffer.from("x");
  it.each<[string, [number, number][]]>([
    [
      "overlap",
      [
        [0, 5],
        [4, 6],
      ],
    ],
    [
      "are unordered",
      [
        [5, 6],
        [0, 1],
      ],
    ],
    ["end before they start", [[5, 4]]],
    ["begin before the content", [[-1, 1]]],
    ["end after the content", [[0, 11]]],
  ])("because they %s are refused", (_what, ranges) => {
    const splices = ranges.map(([start, end]) => ({ start, end, data }));
    const before = Buffer.from("0123456789");
    expect(() => sourceAfter({ op: "splice", path: "f", before, splices })).toThrow(
      /"f" cannot be edited with overlapping or unordered splices/,
    );
  });

  it("is none of those that touch each other, or the ends", () => {
    const splices = [
      [0, 0],
      [0, 5],
      [5, 10],
      [10, 10],
    ].map(([start = 0, end = 0]) => ({ start, end, data }));
    const before = Buffer.from("0123456789");
    expect(sourceAfter({ op: "splice", path: "f", before, splices })).toEqual({
      kind: "data",
      data: Buffer.from("xxxx"),
    });
  });
});
