import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CodeAnswer, CodeQuery } from "../../contract/ports/code.js";
import type { Files } from "../../contract/ports/files.js";
import { createGuard } from "../files/guard.js";
import { createPathRules } from "../files/path-rules.js";
import { createProgramLauncher } from "../processes/program-launcher.js";
import { type CodeWorld, createCodeWorld } from "./code-world.js";
import { underLoad } from "../../../test/setup/under-load.js";

let root = "";
let world: CodeWorld | undefined;

afterEach(async () => {
  await world?.close();
  rmSync(root, { recursive: true, force: true });
});

interface Fixture {
  readonly search: (query: string, more?: Partial<CodeQuery>, signal?: AbortSignal) => Promise<CodeAnswer>;
}

function open(
  files: Readonly<Record<string, string | Uint8Array>>,
  ripgrep?: () => string | undefined,
): Fixture {
  root = mkdtempSync(join(tmpdir(), "tenon-code-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const rules = { workspace: root };
  const guard = createGuard({ rules: createPathRules(rules), maxFileSize: 100 * 1024 * 1024 });
  const reading: Partial<Files> = {
    root: guard.root,
    check: (path, access) => guard.check(path, access),
    stat: async (path) => guard.stat(path),
    read: (path, range) => guard.read(path, range),
    open: async (path) => guard.openRead(path),
    walk: (path, options) => guard.walk(path, options),
  };
  const own = createCodeWorld({
    rules: () => rules,
    maxFileSize: 100 * 1024 * 1024,
    indexFile: () => undefined,
    keepsIndex: false,
    launcher: createProgramLauncher({
      shell: { platform: process.platform, env: {} },
      tempDir: tmpdir(),
      newTagValue: () => "code-world",
    }),
    ...(ripgrep !== undefined && { ripgrep }),
  });
  world = own;
  return {
    search: (query, more = {}, signal = new AbortController().signal) =>
      own
        .forCall({ files: reading as Files, signal })
        .search({ query, type: "all", regex: false, contextLines: 0, limit: 20, ...more }),
  };
}

const places = ({ matches }: CodeAnswer): string[] =>
  matches.map(({ file, line, kind }) => `${file}:${line} ${kind}`);

describe("a file that cannot be parsed", () => {
  it("is named as a place where a definition may be", async () => {
    const { search } = open({
      "large.ts": `export function tooLarge() {}\n${"// filler\n".repeat(410_000)}`,
      "small.ts": "export function small() {}\n",
    });
    const found = await search("tooLarge", { type: "function" });
    expect(places(found)).toEqual(["large.ts:1 mention"]);
    expect(found.notes.join()).toContain("1 file that may define it was not parsed");
    expect((await search("small", { type: "function" })).notes).toEqual([]);
  });
});

describe("without ripgrep", () => {
  const none = (): undefined => undefined;

  it("lists and reads instead, and says so", async () => {
    const { search } = open(
      { "a.ts": "export class Thing {}\nnew Thing();\n", ".gitignore": "x/\n", "x/b.ts": "Thing" },
      none,
    );
    const text = await search("Thing", { type: "text" });
    expect(places(text)).toEqual(["a.ts:1 text", "a.ts:2 text"]);
    expect(text.notes.join()).toContain("ripgrep is missing");
    expect(places(await search("Thing", { type: "class" }))).toEqual(["a.ts:1 class"]);
  });

  it("matches a pattern in linear time", async () => {
    const { search } = open({ "a.txt": `${"a".repeat(5000)}\n` }, none);
    const before = performance.now();
    expect(places(await search("^(a+)+$", { type: "text", regex: true }))).toEqual(["a.txt:1 text"]);
    expect(performance.now() - before).toBeLessThan(underLoad(5000));
  });
});

describe("text", () => {
  it("takes the query as it is, whatever it holds", async () => {
    const odd = ["--files", "-e", "a|b", "$(touch x)", "\\d+", "'\"`", "héé 😀", "[", "*"];
    const { search } = open({ "a.txt": odd.join("\n") });
    for (const [at, text] of odd.entries()) {
      const { matches } = await search(text, { type: "text" });
      expect(matches.map(({ line }) => line)).toContain(at + 1);
    }
  });

  it("finds a text over several lines", async () => {
    const { search } = open({ "a.txt": "one\ntwo\nthree\n" });
    expect(places(await search("one\ntwo", { type: "text" }))).toEqual(["a.txt:1 text"]);
  });

  it("says what is wrong with a pattern", async () => {
    const { search } = open({ "a.txt": "x" });
    await expect(search("a(b", { type: "text", regex: true })).rejects.toThrow(/unclosed group/);
    await expect(search("(?<=a)b", { type: "text", regex: true })).rejects.toThrow(/look-around/);
    await expect(search("x", { glob: "a/../b" })).rejects.toThrow(/glob/);
    await expect(search("a\0b")).rejects.toThrow(/NUL/);
    await expect(search("x", { path: "nowhere" })).rejects.toThrow(/nowhere/);
  });

  it("is not held up by a catastrophic pattern", async () => {
    const { search } = open({ "a.txt": `${"a".repeat(100_000)}!\n`.repeat(10) });
    const before = performance.now();
    await search("(a+)+$|(a|aa)+b", { type: "text", regex: true });
    expect(performance.now() - before).toBeLessThan(underLoad(10_000));
  });

  it("stops when the call is cancelled", async () => {
    const { search } = open({ "a.txt": "x" });
    await expect(search("x", { type: "text" }, AbortSignal.abort())).rejects.toThrow(/cancel/i);
  });

  it("follows the case of the query", async () => {
    const { search } = open({ "a.txt": "Word\nword\nWORD\n" });
    expect((await search("word", { type: "text" })).matches).toHaveLength(3);
    expect((await search("Word", { type: "text" })).matches).toHaveLength(1);
    expect((await search("word", { type: "text", caseSensitive: true })).matches).toHaveLength(1);
    expect((await search("Word", { type: "text", caseSensitive: false })).matches).toHaveLength(3);
  });

  it("says when there is more, and gives no more than asked for", async () => {
    const { search } = open({ "a.txt": "hit\n".repeat(100), "b.txt": "hit\n" });
    const answer = await search("hit", { type: "text", limit: 7 });
    expect(answer.matches).toHaveLength(7);
    expect(answer.truncated).toBe(true);
    expect((await search("hit", { type: "text", path: "b.txt" })).truncated).toBe(false);
  });

  it("reads other encodings as they are", async () => {
    const { search } = open({
      "latin.txt": Buffer.from("grüße find me", "latin1"),
      "wide.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("grüße find me", "utf16le")]),
    });
    const { matches } = await search("find me", { type: "text" });
    expect(matches.map(({ code, column }) => `${code} ${column}`)).toContain("grüße find me 7");
    expect(matches).toHaveLength(2);
  });
});

describe("definitions by pattern", () => {
  it("finds definitions on the lines that fit", async () => {
    const { search } = open({
      "a.ts": "function readOne() {}\nfunction readTwo() {}\nreadOne();\nclass reader {}\n",
    });
    const answer = await search("read(One|Two)", { type: "function", regex: true });
    expect(places(answer)).toEqual(["a.ts:1 function", "a.ts:2 function"]);
  });
});

describe("a language without a grammar", () => {
  it("gives lines that mention the name, and says so", async () => {
    const { search } = open({ "a.kt": "fun greet(name: String) {}\n" });
    const answer = await search("greet", { type: "function" });
    expect(places(answer)).toEqual(["a.kt:1 mention"]);
    expect(answer.notes.join()).toContain("mention");
  });
});
