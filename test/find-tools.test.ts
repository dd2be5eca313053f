import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileFixture, type FileFixture } from "./file-fixture.js";

let fixture: FileFixture;
beforeEach(() => {
  fixture = openFileFixture();
});
afterEach(() => fixture.close());

describe("grep", () => {
  const found = async (args: object) => (await fixture.ok("grep", args))["lines"];

  beforeEach(() => {
    mkdirSync(fixture.path("src"));
    fixture.put("src/b.ts", "one\ntwo needle\nthree\nfour needle\n");
    fixture.put("src/a.js", "needle here\nNEEDLE there\n");
    fixture.put("notes.md", "no\r\nneedle\r\n");
  });

  it("finds lines in the order of file and line, and counts them as read", async () => {
    expect(await found({ pattern: "needle" })).toEqual([
      { file: "notes.md", line: 2, text: "needle", isMatch: true },
      { file: "src/a.js", line: 1, text: "needle here", isMatch: true },
      { file: "src/b.ts", line: 2, text: "two needle", isMatch: true },
      { file: "src/b.ts", line: 4, text: "four needle", isMatch: true },
    ]);
    await fixture.ok("edit_file", { path: "src/b.ts", old_str: "four needle", new_str: "4" });
    expect(
      (await fixture.refused("edit_file", { path: "src/b.ts", old_str: "one", new_str: "1" })).code,
    ).toBe("EDIT_NOT_READ");
  });

  it("takes globs, ignores case, shows lines around matches and pages", async () => {
    const answer = await fixture.call("grep", { pattern: "needle", glob: "*.ts", context: 1, limit: 1 });
    expect(answer.result).toMatchObject({ total: 2, nextOffset: 1 });
    expect(answer.content[0]).toMatchObject({
      text: [
        "src/b.ts-1-one",
        "src/b.ts:2:two needle",
        "src/b.ts-3-three",
        "[2 matching lines in all. Continue with offset 1.]",
      ].join("\n"),
    });
    expect(await found({ pattern: "needle", glob: "src/*.ts", offset: 1 })).toMatchObject([{ line: 4 }]);
    expect(await found({ pattern: "needle", path: "src/a.js", ignore_case: true })).toHaveLength(2);
    expect(await found({ pattern: "needle\\nthree", multiline: true })).toMatchObject([
      { line: 2 },
      { line: 3 },
    ]);
  });

  it("shows the first lines by file and line, whichever were found first, and counts no others as read", async () => {
    const files = Array.from({ length: 40 }, (_, at) => `many/f${String(at).padStart(2, "0")}.txt`);
    mkdirSync(fixture.path("many"));
    const expected = files.flatMap((file, at) => {
      const lines = Array.from({ length: 1 + (at % 5) }, (_, line) => `${at} match ${line}`);
      fixture.put(file, lines.flatMap((text) => [text, "between"]).join("\n"));
      return lines.map((text, line) => ({ file, line: 2 * line + 1, text, isMatch: true }));
    });
    expect((await fixture.ok("grep", { pattern: "match", path: "many", limit: 1 }))["lines"]).toEqual(
      expected.slice(0, 1),
    );
    for (const { file, text } of expected.filter(({ file }) => /[1-3]0|5/.test(file))) {
      const refused = await fixture.refused("edit_file", { path: file, old_str: text, new_str: "x" });
      expect(refused.code).toBe("EDIT_NOT_READ");
    }
    for (const limit of [7, 50, 5000]) {
      for (let offset = 0; offset < expected.length; offset += limit) {
        const { lines } = await fixture.ok("grep", { pattern: "match", path: "many", limit, offset });
        expect(lines).toEqual(expected.slice(offset, offset + limit));
      }
    }
  });

  it("lists files and counts lines", async () => {
    expect(await fixture.ok("grep", { pattern: "needle", mode: "files", path: "src" })).toEqual({
      mode: "files",
      files: [{ file: "src/a.js" }, { file: "src/b.ts" }],
      total: 2,
    });
    expect(await fixture.ok("grep", { pattern: "needle", mode: "count" })).toMatchObject({
      files: [
        { file: "notes.md", count: 1 },
        { file: "src/a.js", count: 1 },
        { file: "src/b.ts", count: 2 },
      ],
      total: 4,
    });
  });

  it("finds a line in a file of more than 32 MB, and code_query names it", async () => {
    const descriptor = openSync(fixture.path("large.log"), "w");
    const filler = Buffer.alloc(1024 * 1024, "0123456789abcde\n");
    for (let at = 0; at < 40; at += 1) writeSync(descriptor, filler);
    writeSync(descriptor, "the last line\n");
    closeSync(descriptor);
    expect(await found({ pattern: "last line" })).toMatchObject([
      { file: "large.log", text: "the last line" },
    ]);
    const { notes } = await fixture.ok("code_query", { query: "the last line", type: "text" });
    expect(notes).toEqual([expect.stringContaining("large.log")]);
  });

  it.each([
    "*.{ts",
    "}y",
    "{a}",
    "{a,}b",
    "x{,.ts}",
    "{x,y}.ts",
    "{{x,y},a}.ts",
    "*,*",
    "[x].ts",
    "x?ts",
    "**",
  ])("means by the glob %s what the tool glob means by it", async (glob) => {
    for (const name of ["x.{ts", "}y", "{a}", "a", "b", "ab", "x", "x.ts", "y.ts", "a.ts", "p,q"])
      fixture.put(name, "needle\n");
    const found = await fixture.ok("grep", { pattern: "needle", glob, mode: "files" });
    const named = (await fixture.ok("glob", { pattern: glob }))["files"] as string[];
    expect(named.length).toBeGreaterThan(0);
    expect(found["files"]).toEqual(named.map((file) => ({ file })));
  });

  it("finds nothing in files that may not be read, and names bad patterns", async () => {
    await fixture.reopen({ config: { files: { forbiddenPaths: ["src/a.js"] } } });
    expect(await fixture.ok("grep", { pattern: "needle", mode: "count" })).toMatchObject({ total: 3 });
    const refused = await fixture.refused("grep", { pattern: "(" });
    expect(refused.message).toMatch(/regular expression/);
    expect(refused.hint).toMatch(/put a backslash before special characters to search for the text itself/);
    expect((await fixture.refused("grep", { pattern: "x", glob: "../*" })).message).toMatch(/glob/);
  });

  it("reads UTF-16 and files with a byte order mark", async () => {
    fixture.put("wide.txt", Buffer.from("\uFEFFzero\nthe needle\n", "utf16le"));
    fixture.put("marked.txt", "\uFEFFzero\nthe needle\n");
    expect(await found({ pattern: "the needle" })).toEqual([
      { file: "marked.txt", line: 2, text: "the needle", isMatch: true },
      { file: "wide.txt", line: 2, text: "the needle", isMatch: true },
    ]);
  });
});

describe("glob", () => {
  it("finds files by name, in order and in pages", async () => {
    mkdirSync(fixture.path("src/deep"), { recursive: true });
    mkdirSync(fixture.path("ignored"));
    fixture.put(".gitignore", "ignored/\n");
    for (const name of ["src/a.ts", "src/deep/b.ts", "c.ts", "ignored/d.ts", "e.md"]) fixture.put(name, "");
    const files = async (args: object) => (await fixture.ok("glob", args))["files"];
    expect(await files({ pattern: "*.ts" })).toEqual(["c.ts", "src/a.ts", "src/deep/b.ts"]);
    expect(await files({ pattern: "src/**/*.ts" })).toEqual(["src/a.ts", "src/deep/b.ts"]);
    expect(await files({ pattern: "**/*.ts", path: "src" })).toEqual(["src/a.ts", "src/deep/b.ts"]);
    expect(await fixture.ok("glob", { pattern: "*.ts", limit: 2 })).toMatchObject({
      total: 3,
      nextOffset: 2,
    });
    expect(await files({ pattern: "*.ts", limit: 2, offset: 2 })).toEqual(["src/deep/b.ts"]);
    expect((await fixture.refused("glob", { pattern: "../*" })).message).toMatch(/pattern/);
  });
});

describe("multi_edit", () => {
  const edit = (old_str: string, new_str: string, more: object = {}) => ({ old_str, new_str, ...more });

  it("makes all edits, each on the result of those before it, in one step that can be undone", async () => {
    fixture.put("a.txt", "one\r\ntwo\r\ntwo\r\n");
    await fixture.ok("read_file", { path: "a.txt" });
    const edits = [edit("one", "1"), edit("two", "2", { replace_all: true }), edit("1\n2", "start\n2")];
    const result = await fixture.ok("multi_edit", { path: "a.txt", edits });
    expect(result).toMatchObject({ edits: 3, replacements: 4, created: false });
    expect(fixture.text("a.txt")).toBe("start\r\n2\r\n2\r\n");
    fixture.put("b.txt", "b\n");
    await fixture.ok("read_file", { path: "b.txt" });
    const one = await fixture.call("multi_edit", { path: "b.txt", edits: [edit("b", "c")] });
    expect(one.content[0]).toMatchObject({
      text: expect.stringMatching(/^Edited b.txt: 1 edit, 1 replacement\.\n/) as string,
    });
    await fixture.ok("edit_file", { path: "a.txt", old_str: "start", new_str: "begin" });
    await fixture.ok("undo_edit", { path: "a.txt" });
    await fixture.ok("undo_edit", { path: "a.txt" });
    expect(fixture.text("a.txt")).toBe("one\r\ntwo\r\ntwo\r\n");
  });

  it("changes nothing if one edit fails, and names it", async () => {
    fixture.put("a.txt", "one\ntwo\ntwo\n");
    await fixture.ok("read_file", { path: "a.txt" });
    const error = await fixture.refused("multi_edit", {
      path: "a.txt",
      edits: [edit("one", "1"), edit("two", "2")],
    });
    expect(error).toMatchObject({ code: "EDIT_OLD_STR_AMBIGUOUS", details: { edit: 2 } });
    expect(error.message).toMatch(/^Edit 2: /);
    expect(fixture.text("a.txt")).toBe("one\ntwo\ntwo\n");
  });

  it("names all places that were not read in one error", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `line ${at + 1}.`);
    fixture.put("a.txt", `${lines.join("\n")}\n`);
    await fixture.ok("read_file", { path: "a.txt", start_line: 1, end_line: 2 });
    const edits = [
      edit("line 1.", "x"),
      edit("line 100.", "y"),
      edit("line 105.", "y"),
      edit("line 250.", "z"),
    ];
    const error = await fixture.refused("multi_edit", { path: "a.txt", edits });
    expect(error.code).toBe("EDIT_NOT_READ");
    expect(error.hint).toMatch(/lines 100-105, line 250/);
    await fixture.ok("read_file", { path: "a.txt", start_line: 100, end_line: 105 });
    await fixture.ok("read_file", { path: "a.txt", start_line: 250, end_line: 250 });
    await fixture.ok("multi_edit", { path: "a.txt", edits });
  });

  it("creates a file with an empty first old_str", async () => {
    await fixture.ok("multi_edit", { path: "new/a.txt", edits: [edit("", "one\n"), edit("one", "1")] });
    expect(fixture.text("new/a.txt")).toBe("1\n");
    const again = await fixture.refused("multi_edit", { path: "new/a.txt", edits: [edit("", "x")] });
    expect(again.code).toBe("EDIT_CREATE_EXISTS");
    expect((await fixture.refused("multi_edit", { path: "none.txt", edits: [edit("a", "b")] })).code).toBe(
      "RESOURCE_NOT_FOUND",
    );
  });

  it("refuses what changed since it was read", async () => {
    fixture.put("a.txt", "one\ntwo\n");
    await fixture.ok("read_file", { path: "a.txt" });
    fixture.put("a.txt", "one\nTWO\n");
    const error = await fixture.refused("multi_edit", {
      path: "a.txt",
      edits: [edit("one", "1"), edit("two", "2")],
    });
    expect(error.code).toBe("EDIT_STALE");
  });
});

describe("write_file", () => {
  it.each(["a\r\nb\r\n", "a\rb\r", "a\nb\n"])("keeps the line ends of a new file: %j", async (content) => {
    await fixture.ok("write_file", { path: "new.txt", content });
    expect(fixture.text("new.txt")).toBe(content);
    await fixture.ok("write_file", { path: "new.txt", content: content.slice(0, -1) });
    fixture.put("lf.txt", "x\n");
    await fixture.ok("read_file", { path: "lf.txt" });
    await fixture.ok("write_file", { path: "lf.txt", content });
    expect(fixture.text("lf.txt")).toBe(content);
  });

  it("gives text with plain line feeds the line ends of the file", async () => {
    fixture.put("crlf.txt", "x\r\ny\r\n");
    await fixture.ok("read_file", { path: "crlf.txt" });
    await fixture.ok("write_file", { path: "crlf.txt", content: "one\ntwo" });
    expect(fixture.text("crlf.txt")).toBe("one\r\ntwo\r\n");
  });
});

describe.runIf(process.platform === "linux")("the process that starts ripgrep", () => {
  /** Helpers among the children of this process. */
  const helpers = (): string[] => {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1");
    const pids = children.split(" ").filter((pid) => pid !== "");
    return pids.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("TENON_RUN="));
  };

  it("is a helper where the process goes on after its call, and ends with Tenon", async () => {
    fixture.put("a.txt", "needle\n");
    await fixture.ok("grep", { pattern: "needle" });
    await fixture.ok("code_query", { query: "needle", type: "text" });
    expect(helpers()).toHaveLength(1);
    await fixture.tenon.close();
    expect(helpers()).toEqual([]);
  });

  it("is Tenon itself where the process ends with its call", async () => {
    await fixture.reopen({ jobs: false });
    fixture.put("a.txt", "needle\n");
    expect(await fixture.ok("grep", { pattern: "needle" })).toMatchObject({ lines: [{ line: 1 }] });
    expect(helpers()).toEqual([]);
  });
});
