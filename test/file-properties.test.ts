import { mkdirSync, rmSync } from "node:fs";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { snapshot } from "../src/world/journal/testing/snapshot.js";
import { openFileFixture, type FileFixture } from "./file-fixture.js";
import { isLongRun, randomCases } from "./setup/random-cases.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

/** Pieces of files: texts in several encodings, all line ends, marks, broken bytes. */
const piece = fc.oneof(
  fc
    .constantFrom(
      "one",
      "two",
      "\u00e9",
      "\u6f22\u5b57",
      "$&",
      "\t",
      "  ",
      "x = 1;",
      "\u{1F600}",
      "\u00fc\u00df",
    )
    .map((text) => Buffer.from(text)),
  fc.constantFrom("\n", "\r\n", "\r", "\n\n").map((text) => Buffer.from(text)),
  fc
    .constantFrom([0xff], [0xe9], [0xc3], [0xe2, 0x82], [0x80], [0xed, 0xa0, 0x80], [0x1b])
    .map((bytes) => Buffer.from(bytes)),
);
const utf8 = fc.array(piece, { minLength: 1, maxLength: 30 }).map((pieces) => Buffer.concat(pieces));
const content = fc.oneof(
  utf8,
  utf8.map((bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])),
  fc
    .string({ minLength: 1, unit: "grapheme" })
    .map((text) => Buffer.from(`\uFEFF${text.toWellFormed()}\nend`, "utf16le")),
  fc.stringMatching(/^[a-z\u00e0-\u00ff \n]{5,60}$/).map((text) => Buffer.from(text, "latin1")),
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

describe("edit_file on random files", () => {
  it(
    "leaves every byte outside the edit as it was, or changes nothing at all",
    { timeout: 180_000 },
    async () => {
      let changed = 0;
      await fc.assert(
        fc.asyncProperty(
          content,
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.constantFrom("new", "a\nb", "", "\u20ac", "$1\r\n", "caf\u00e9"),
          fc.boolean(),
          async (bytes, from, length, new_str, replace_all) => {
            fixture.put("f", bytes);
            const read = await fixture.call("read_file", { path: "f" });
            const shown = typeof read.result?.["content"] === "string" ? read.result["content"] : "";
            const start = Math.floor(from * shown.length);
            const old_str = shown.slice(start, start + 1 + Math.floor(length * 12)).toWellFormed() || "x";
            const answer = await fixture.call("edit_file", { path: "f", old_str, new_str, replace_all });
            const after = fixture.bytes("f");
            if (!answer.success) {
              expect(after).toEqual(bytes);
              expect(answer.error?.details).toMatchObject({ errorCode: expect.any(Number) });
              return;
            }
            changed += 1;
            if (
              bytes.includes(0x0a) &&
              after.includes(0x0a) &&
              after.length > 0 &&
              read.result?.["truncated"] === false
            ) {
              // What Tenon wrote counts as read: the next change needs no look in between.
              const next = await fixture.call("write_file", { path: "f", content: "next" });
              expect(next.error?.code ?? "").not.toMatch(/EDIT_NOT_READ|EDIT_STALE/);
              if (next.success) await fixture.ok("undo_edit", { path: "f" });
            }
            const { head, tail } = commonEnds(bytes, after);
            const taken = bytes.subarray(head, bytes.length - tail);
            // What was taken out begins and ends within the text that was to be replaced.
            expect(taken.length).toBeLessThanOrEqual(
              spanBytes(bytes, old_str, answer.result?.["replacements"] as number),
            );
            await fixture.ok("undo_edit", { path: "f" });
            expect(fixture.bytes("f")).toEqual(bytes);
            // All of it was read and nobody else changed it, so that all of it may be overwritten.
            const whole = await fixture.call("write_file", { path: "f", content: "all" });
            if (bytes.includes(0x0a)) expect(whole.error?.code ?? "").not.toMatch(/EDIT_NOT_READ|EDIT_STALE/);
          },
        ),
        { numRuns: randomCases(300) },
      );
      expect(changed).toBeGreaterThan(40);
    },
  );
});

function commonEnds(one: Buffer, other: Buffer): { head: number; tail: number } {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/** The most that edits of these texts can span; several replacements can lie anywhere. */
function spanBytes(bytes: Buffer, old_str: string, replacements: number): number {
  if (replacements > 1) return bytes.length;
  return (
    Math.max(Buffer.byteLength(old_str), Buffer.byteLength(old_str, "utf16le")) +
    2 * old_str.split("\n").length
  );
}

const names = ["a", "b", "d/c", "d/e/f", "g"] as const;
const path = fc.constantFrom(...names, "d", "d/e");
const step = fc.oneof(
  fc.record({
    tool: fc.constant("write_file"),
    args: fc.record({ path, content: fc.constantFrom("x", "one\ntwo", "", "\u00e9\r\n") }),
  }),
  fc.record({
    tool: fc.constant("write_file"),
    args: fc.record({ path, content: fc.constant("more"), mode: fc.constant("append") }),
  }),
  fc.record({
    tool: fc.constant("edit_file"),
    args: fc.record({
      path,
      old_str: fc.constantFrom("x", "one", "", "more"),
      new_str: fc.constantFrom("y", "1\n2", ""),
    }),
  }),
  fc.record({ tool: fc.constant("delete_file"), args: fc.record({ path, recursive: fc.boolean() }) }),
  fc.record({
    tool: fc.constant("move_file"),
    args: fc.record({ from: path, to: path, overwrite: fc.boolean() }),
  }),
  fc.record({
    tool: fc.constant("copy_file"),
    args: fc.record({ from: path, to: path, overwrite: fc.boolean() }),
  }),
  fc.record({ tool: fc.constant("make_directory"), args: fc.record({ path }) }),
  fc.record({
    tool: fc.constant("apply_diff"),
    args: fc.record({
      diff: fc.constantFrom(
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+z\n--- /dev/null\n+++ b/n/new\n@@ -0,0 +1 @@\n+new\n",
        "diff --git a/a b/g\nrename from a\nrename to g\n",
      ),
    }),
  }),
);

describe("any sequence of changes", () => {
  it("is undone, one after the other, to the first state", { timeout: 180_000 }, async () => {
    let undone = 0;
    const runs = isLongRun ? 60 : 20;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        rmSync(fixture.workspace, { recursive: true });
        mkdirSync(fixture.path("d/e"), { recursive: true });
        for (const name of names) fixture.put(name, name === "b" ? "" : "x\none\n");
        const session = fixture.tenon.createSession();
        for (const name of names) await session.call({ name: "read_file", arguments: { path: name } });
        const states = [snapshot(fixture.workspace)];
        for (const { tool, args } of steps) {
          const before = snapshot(fixture.workspace);
          const answer = await session.call({ name: tool, arguments: args });
          const after = snapshot(fixture.workspace);
          if (!answer.success) expect(after).toEqual(before);
          else if (JSON.stringify(after) !== JSON.stringify(before)) states.push(after);
        }
        for (;;) {
          const answer = await session.call({ name: "undo_edit", arguments: {} });
          if (!answer.success) {
            expect(answer.error?.type).toBe("ToolResourceNotFoundError");
            break;
          }
          undone += 1;
        }
        expect(snapshot(fixture.workspace)).toEqual(states[0]);
      }),
      { numRuns: runs },
    );
    expect(undone).toBeGreaterThan(runs * 0.8);
  });
});
