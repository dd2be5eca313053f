import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileImage, NodeImage } from "../../contract/ports/journal.js";
import { openBlobs } from "../../store/blobs.js";
import { chooseOpener } from "../files/opener.js";
import { createPlan, type Plan } from "./plan.js";
import { describeConflict, readText, undoRefused, type ConflictSubject } from "./undo-conflict.js";
import type { VirtualNode } from "./virtual-files.js";

let base: string;
let plan: Plan;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-conflict-"));
  mkdirSync(join(base, "blobs"));
  let ids = 0;
  const blobs = openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`);
  plan = createPlan({ opener: chooseOpener(), blobs, token: "t", maxBytes: 1e9, stop: {} });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const node = (text: string | Uint8Array): VirtualNode => {
  const data = Buffer.from(text);
  return { type: "file", size: data.length, source: { kind: "data", data } };
};
const kept = async (text: string): Promise<FileImage> => ({
  type: "file",
  ...(await plan.deps.blobs.put(Buffer.from(text))),
});
const lost: FileImage = { type: "file", hash: "0".repeat(64), size: 1 };
const describeIt = (subject: Omit<ConflictSubject, "path">) =>
  describeConflict(plan, { path: "f", ...subject });

describe("a conflict", () => {
  const folder = (tree: string | null): NodeImage => ({ type: "directory", tree, size: 0 });

  it.each<[string, NodeImage | null, VirtualNode | null]>([
    ["exists again", null, node("x")],
    ["was deleted since", lost, null],
    ["is a directory now", lost, { type: "directory" }],
    ["is a file now", folder(null), node("x")],
    ["is a symlink now", lost, { type: "symlink", target: "t" }],
    ["is a other now", lost, { type: "other" }],
    ["is no longer empty", folder(null), { type: "directory" }],
    ["was changed since", folder("tree"), { type: "directory" }],
    ["was changed since", { type: "symlink", target: "t", size: 1 }, { type: "symlink", target: "u" }],
    ["was changed since", lost, node("x")],
  ])("says that a path %s", async (reason, expected, there) => {
    expect(await describeIt({ expected, node: there })).toEqual({ path: "f", reason });
  });

  it("of texts has a diff from what the change left, as far as that is known, to what is there", async () => {
    const [left, before, now] = [
      await kept("left\nsame\n"),
      await kept("before\nsame\n"),
      node("now\nsame\n"),
    ];
    const diffOf = async (subject: Omit<ConflictSubject, "path" | "node">): Promise<string[] | undefined> =>
      (await describeIt({ node: now, ...subject })).diff?.split("\n").slice(1);
    const expected = (line: string): string[] => [
      "===================================================================",
      "--- f\tas Tenon knows it",
      "+++ f\tas it is now",
      "@@ -1,2 +1,2 @@",
      `-${line}`,
      "+now",
      " same",
      "",
    ];
    expect(await diffOf({ expected: left, before })).toEqual(expected("left"));
    expect(await diffOf({ expected: left, before, left: "rebuilt\nsame\n" })).toEqual(expected("rebuilt"));
    expect(await diffOf({ expected: lost, before })).toEqual(expected("before"));
    expect(await diffOf({ expected: { ...left, hash: "" }, before })).toEqual(expected("before"));
    expect(await diffOf({ expected: lost, before: lost })).toBeUndefined();
    expect(await diffOf({ expected: lost, before: null })).toBeUndefined();
    expect(await describeIt({ expected: left, node: node("a\0b") })).toEqual({
      path: "f",
      reason: "was changed since",
    });
  });
});

describe("a text", () => {
  it("is read whole up to a megabyte, and not where it is none", async () => {
    const read = (data: Uint8Array) => readText(plan, { kind: "data", data });
    const most = Buffer.alloc(1 << 20, "x");
    expect(await read(most)).toBe(most.toString());
    expect(await read(Buffer.alloc((1 << 20) + 1, "x"))).toBeUndefined();
    const pieces = [most.subarray(1), Buffer.from("y")];
    expect(await readText(plan, { kind: "pieces", pieces })).toBe(`${most.subarray(1).toString()}y`);
    expect(await readText(plan, { kind: "pieces", pieces: [...pieces, Buffer.from("z")] })).toBeUndefined();
    expect(await read(new Uint8Array())).toBe("");
    for (const odd of ["\0ab", "a\0b", "ab\0"]) expect(await read(Buffer.from(odd))).toBeUndefined();
  });
});

describe("the refusal of an undo", () => {
  it("names the first conflict, counts the others and has all diffs", () => {
    const one = { path: "a", reason: "was changed since", diff: "diff a\n" };
    const two = { path: "b", reason: "was deleted since" };
    const three = { path: "c", reason: "was changed since", diff: "diff c\n" };
    expect(undoRefused([one])).toMatchObject({
      code: "FILE_CONFLICT",
      message: 'Cannot undo: "a" was changed since. Nothing was changed.',
      details: { conflicts: [one], diff: "diff a\n" },
    });
    expect(undoRefused([one, two, three])).toMatchObject({
      message: 'Cannot undo: "a" was changed since (and 2 more). Nothing was changed.',
      details: { conflicts: [one, two, three], diff: "diff a\ndiff c\n" },
    });
    expect(undoRefused([two, one]).message).toContain("(and 1 more)");
    expect(undoRefused([two]).details).toEqual({ conflicts: [two] });
    expect(undoRefused([two]).hint).toContain("tenon undo --force");
  });
});
