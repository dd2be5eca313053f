import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import { openBlobs } from "../../store/blobs.js";
import { createReadOnlyBlobs } from "./preview-undo.js";
import { openWorld, origin, type World } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
beforeEach(() => {
  base = tempDir("preview");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("a preview", () => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld(base);
  });
  afterEach(() => world.close());

  const at = (path: string): string => join(world.root, path);
  const write = (path: string, text: string): FileMutation => ({
    op: "write",
    path,
    data: Buffer.from(text),
  });
  const apply = (call: string, ...mutations: FileMutation[]) => world.journal.apply(mutations, origin(call));
  /** The preview; what it says must be what the undo then does. */
  async function preview(call: string): Promise<string> {
    const before = snapshot(world.root);
    const { files, diff } = await world.journal.previewUndo({ callId: call });
    expect(snapshot(world.root)).toEqual(before);
    const undone = await world.journal.undo({ callId: call }, origin());
    expect(undone.map(({ path }) => path)).toEqual(expect.arrayContaining(files.map(({ path }) => path)));
    return diff;
  }

  it("shows each file once: changed, made, removed and moved", async () => {
    for (const name of ["changed", "gone", "old"]) writeFileSync(at(name), `${name}\n`);
    await apply(
      "c",
      write("changed", "first\n"),
      write("changed", "after\n"),
      write("new/made", "made\n"),
      { op: "delete", path: "gone" },
      { op: "move", from: "old", to: "name" },
    );
    const { files } = await world.journal.previewUndo({ callId: "c" });
    expect(files.filter(({ path }) => path === "changed")).toEqual([
      { path: "changed", restoredContentLen: 8, previousContentLen: 6 },
    ]);
    const diff = await preview("c");
    for (const part of ["-after\n+changed\n", "-made\n", "+gone\n", "+old\n", "-old\n"])
      expect(diff).toContain(part);
    expect(diff.match(/^--- \/dev\/null$/gm)).toHaveLength(2);
    expect(diff.match(/^\+\+\+ \/dev\/null$/gm)).toHaveLength(2);
    expect(diff).not.toContain("first");
  });

  it("has no diff of what is no text: folders, links and binary files", async () => {
    mkdirSync(at("folder"));
    writeFileSync(at("binary"), "\0before");
    symlinkSync("binary", at("link"));
    await apply("c", { op: "delete", path: "folder", recursive: true }, write("binary", "after"), {
      op: "delete",
      path: "link",
    });
    expect(await preview("c")).toBe("");
  });

  it("compares a thousand files, and says where it stops", async () => {
    const many = (count: number): FileMutation[] =>
      Array.from({ length: count }, (_, n) => write(`d/${n}`, `text ${n}\n`));
    const stop = "The files after these are not compared.\n";
    await apply("c", ...many(1001));
    const some = await world.journal.previewUndo({ callId: "c" });
    expect(some.diff.match(/^-text/gm)).toHaveLength(1000);
    expect(some.diff.endsWith(stop)).toBe(true);
    expect(some.files).toHaveLength(1001);
  });

  it("stops after five million characters", async () => {
    // Each diff is cut after a hundred thousand.
    const large = `${"x".repeat(99)}\n`.repeat(1100);
    await apply("c", ...Array.from({ length: 52 }, (_, n) => write(`file-${n}`, large)));
    const { diff, files } = await world.journal.previewUndo({ callId: "c" });
    expect(files).toHaveLength(52);
    expect(diff.match(/^--- /gm)).toHaveLength(49);
    expect(diff.endsWith("\nThe rest of the diff is too long to be shown.\n")).toBe(true);
    expect(diff.match(/The rest of/g)).toHaveLength(1);
  });
});

describe("a blob store for a preview", () => {
  function stores() {
    mkdirSync(join(base, "blobs"));
    let ids = 0;
    const real = openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`);
    return { real, seen: createReadOnlyBlobs(real) };
  }
  const data = (text: string): Uint8Array => Buffer.from(text);
  const list = async (store: { list(): AsyncIterable<string> }): Promise<string[]> => {
    const found: string[] = [];
    for await (const hash of store.list()) found.push(hash);
    return found;
  };

  it("stores nothing, but says what would be stored", async () => {
    const { real, seen } = stores();
    const ref = { hash: sha("text"), size: 4 };
    expect(await seen.put(data("text"))).toEqual(ref);
    const writer = seen.create();
    for (const part of ["te", "xt"]) writer.write(data(part));
    expect(await writer.finish()).toEqual(ref);
    expect(() => writer.abort()).not.toThrow();
    writeFileSync(join(base, "file"), "text");
    const fd = openSync(join(base, "file"), "r");
    expect(await seen.putFile({ fd })).toEqual(ref);
    closeSync(fd);
    expect(seen.has(ref.hash)).toBe(false);
    expect(await list(real)).toEqual([]);
    expect(
      readdirSync(join(base, "blobs"), { recursive: true, withFileTypes: true }).filter((each) =>
        each.isFile(),
      ),
    ).toEqual([]);
  });

  it("remembers what need not last, and reads it whole or in parts", async () => {
    const { real, seen } = stores();
    const { hash } = await seen.put(data("0123456789"), { durable: false });
    expect([seen.has(hash), real.has(hash)]).toEqual([true, false]);
    expect(Buffer.from(await seen.read(hash)).toString()).toBe("0123456789");
    const reader = seen.open(hash);
    expect(reader.size).toBe(10);
    const parts = [0, 4, 8, 10].map((position) => {
      const buffer = Buffer.alloc(4);
      return buffer.subarray(0, reader.readInto(buffer, position)).toString();
    });
    expect(parts).toEqual(["0123", "4567", "89", ""]);
    expect(() => reader.close()).not.toThrow();
  });

  it("reads what is there, and removes nothing of it", async () => {
    const { real, seen } = stores();
    const { hash } = await real.put(data("kept"));
    seen.remove(hash);
    expect([seen.has(hash), real.has(hash)]).toEqual([true, true]);
    expect(Buffer.from(await seen.read(hash)).toString()).toBe("kept");
    const reader = seen.open(hash);
    expect(reader.size).toBe(4);
    reader.close();
  });
});
