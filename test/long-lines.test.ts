import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileFixture, type FileFixture } from "./file-fixture.js";
import { randomCases } from "./setup/random-cases.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

const edit = (oldStr: string, newStr: string) => ({ path: "min.js", old_str: oldStr, new_str: newStr });
/** A line of 300,000 characters with names at known places. */
const longLine = `${"a".repeat(100_000)}FIRST${"b".repeat(99_990)}SECOND${"c".repeat(99_999)}`;

describe("a line that is too long to be shown whole", () => {
  it("is read in parts, each with where to continue, until all of it was read", async () => {
    fixture.put("min.js", `head\n${longLine}\ntail\n`);
    let text = "";
    for (let next = 1; text.length < longLine.length;) {
      const result = await fixture.ok("read_file", { path: "min.js", start_line: 2, start_char: next });
      expect(result).toMatchObject({ startLine: 2, endLine: 2, startChar: next, lineChars: longLine.length });
      text += String(result["content"]);
      next = Number(result["endChar"]) + 1;
    }
    expect(text).toBe(longLine);
    await fixture.ok("read_file", { path: "min.js", start_line: 1, end_line: 1 });
    await fixture.ok("read_file", { path: "min.js", start_line: 3 });
    // All parts together are the whole line, so the file may be overwritten.
    await fixture.ok("write_file", { path: "min.js", content: "short\n" });
  });

  it("can be edited where it was read, and only there", async () => {
    fixture.put("min.js", `head\n${longLine}\ntail\n`);
    const error = await fixture.refused("edit_file", edit("FIRST", "1st"));
    expect(error).toMatchObject({ code: "EDIT_NOT_READ" });
    expect(error.hint).toContain("start_line 2, start_char 99801 and end_char 100205");
    await fixture.ok("read_file", { path: "min.js", start_line: 2, start_char: 99_801, end_char: 100_205 });
    await fixture.ok("edit_file", edit("FIRST", "1st"));
    expect(await fixture.refused("edit_file", edit("SECOND", "2nd"))).toMatchObject({
      code: "EDIT_NOT_READ",
    });
    // What was read before is still known after the edit, and the new text, too.
    await fixture.ok("edit_file", edit("a1stb", "aONEb"));
    await fixture.ok("read_file", { path: "min.js", start_line: 2, start_char: 199_000, end_char: 201_000 });
    await fixture.ok("multi_edit", {
      path: "min.js",
      edits: [
        { old_str: "SECOND", new_str: "2nd" },
        { old_str: "b2ndc", new_str: "bTWOc" },
        { old_str: "ONE", new_str: "one" },
      ],
    });
    expect(fixture.text("min.js")).toBe(
      `head\n${longLine.replace("FIRST", "one").replace("SECOND", "TWO")}\ntail\n`,
    );
  });

  it("is stale where somebody changed the part that was read, and fresh where they changed another one", async () => {
    fixture.put("min.js", `${longLine}\n`);
    await fixture.ok("read_file", { path: "min.js", start_char: 99_990, end_char: 100_015 });
    fixture.put("min.js", `${longLine.replace("SECOND", "OTHER TEXT")}\n`);
    await fixture.ok("edit_file", edit("FIRST", "1st"));
    await fixture.ok("read_file", { path: "min.js", start_char: 99_990, end_char: 100_015 });
    fixture.put("min.js", `${longLine.replace("aFIRST", "zFIRST")}\n`);
    expect(await fixture.refused("edit_file", edit("FIRST", "1st"))).toMatchObject({ code: "EDIT_NOT_READ" });
  });

  it("follows its line when lines are added above it, and is found by grep with the part that is shown", async () => {
    fixture.put("min.js", `head\n${longLine}\n`);
    const found = await fixture.ok("grep", { pattern: "SECOND" });
    expect(found["lines"]).toMatchObject([{ line: 2, text: expect.stringContaining("bSECONDc") }]);
    fixture.put("min.js", `new\nlines\nhead\n${longLine}\n`);
    await fixture.ok("edit_file", edit("SECOND", "2nd"));
    expect(fixture.text("min.js")).toContain("b2ndc");
  });

  it("is remembered by a named session, however long it is", async () => {
    fixture.put("min.js", `${longLine}\n`);
    const first = await fixture.tenon.openNamedSession("work");
    for (const [start, end] of [
      [1, 70_000],
      [70_001, 140_000],
      [140_001, 210_000],
      [210_001, 280_000],
      [280_001, 300_000],
    ] as const) {
      const read = { name: "read_file", arguments: { path: "min.js", start_char: start, end_char: end } };
      expect(await first.call(read)).toSucceed();
    }
    await fixture.reopen();
    const later = await fixture.tenon.openNamedSession("work");
    const answer = await later.call({
      name: "write_file",
      arguments: { path: "min.js", content: "short\n" },
    });
    expect(answer.error).toBeUndefined();
  });

  it("never splits a pair of surrogates, wherever a part begins and ends", async () => {
    const text = "😀é漢x".repeat(30);
    fixture.put("emoji.txt", `${text}\n`);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: text.length }), fc.nat(20), async (start, more) => {
        const range = { start_char: start, end_char: start + more };
        const { content, startChar, endChar } = await fixture.ok("read_file", {
          path: "emoji.txt",
          ...range,
        });
        expect(String(content).isWellFormed()).toBe(true);
        expect(content).toBe(text.slice(Number(startChar) - 1, Number(endChar)));
        expect(startChar).toBeGreaterThanOrEqual(start - 1);
        expect(endChar).toBeGreaterThanOrEqual(Math.min(start + more, text.length));
      }),
      { numRuns: randomCases(60) },
    );
  });
});

describe("the end of a file", () => {
  it("is read by negative line numbers", async () => {
    fixture.put("a.log", Array.from({ length: 50_000 }, (_, at) => `line ${at + 1}\n`).join(""));
    fixture.put("b.log", "one\ntwo\nthree");
    const read = (path: string, range: object) => fixture.ok("read_file", { path, ...range });
    expect(await read("a.log", { start_line: -2 })).toMatchObject({
      content: "line 49999\nline 50000\n",
      startLine: 49_999,
      endLine: 50_000,
    });
    expect(await read("a.log", { start_line: 3, end_line: -49_997 })).toMatchObject({
      content: "line 3\nline 4",
    });
    expect(await read("b.log", { start_line: -1 })).toMatchObject({ content: "three", startLine: 3 });
    expect(await read("b.log", { start_line: -99 })).toMatchObject({
      content: "one\ntwo\nthree",
      startLine: 1,
    });
    await fixture.ok("edit_file", { path: "a.log", old_str: "line 50000", new_str: "last" });
  });
});

describe("maxFileSize", () => {
  beforeEach(() => fixture.reopen({ config: { files: { maxFileSize: 100_000 } } }));

  it("binds whole reads, and leaves ranges of lines free", async () => {
    fixture.put("a.log", "0123456789\n".repeat(10_000));
    expect(await fixture.refused("read_file", { path: "a.log" })).toMatchObject({
      code: "FILE_TOO_LARGE",
      hint: expect.stringContaining("start_line"),
    });
    expect(await fixture.refused("read_file", { path: "a.log", encoding: "base64" })).toMatchObject({
      code: "FILE_TOO_LARGE",
    });
    await fixture.ok("read_file", { path: "a.log", start_line: -3 });
    await fixture.ok("read_file", { path: "a.log", start_line: 1, end_line: 10 });
  });

  it("does not hold up moves and deletes of a file that was read in ranges", async () => {
    fixture.put("a.log", "0123456789\n".repeat(10_000));
    await fixture.ok("read_file", { path: "a.log", start_line: 1, end_line: 10 });
    await fixture.ok("move_file", { from: "a.log", to: "b.log" });
    await fixture.ok("read_file", { path: "b.log", start_line: 1, end_line: 10 });
    await fixture.ok("delete_file", { path: "b.log" });
    await fixture.ok("undo_edit", {});
    expect(fixture.text("b.log")).toHaveLength(110_000);
  });

  it.each([
    ["write_file", { path: "new.txt", content: "x".repeat(200_000) }],
    ["write_file", { path: "full.txt", content: "x".repeat(60_000), mode: "append" }],
    ["edit_file", { path: "full.txt", old_str: "end", new_str: "x".repeat(60_000) }],
  ])("refuses a %s that would exceed it, says so, and asks nobody", async (name, args) => {
    let asked = 0;
    await fixture.reopen({
      config: { files: { maxFileSize: 100_000 }, mode: "ask" },
      interact: { approve: () => ((asked += 1), true) },
    });
    fixture.put("full.txt", `${"0123456789\n".repeat(8000)}end\n`);
    await fixture.ok("read_file", { path: "full.txt", start_line: 8001 });
    const error = await fixture.refused(name, args);
    expect(error).toMatchObject({ code: "FILE_TOO_LARGE", message: expect.stringContaining("would have") });
    expect(error.hint).toContain("files.maxFileSize");
    expect(asked).toBe(0);
  });
});
