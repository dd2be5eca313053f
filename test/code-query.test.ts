import { symlinkSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { type CodeFixture, openCodeFixture } from "./code-fixture.js";

let fixture: CodeFixture | undefined;

afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

const sample = {
  "src/store.ts":
    "export class Store {\n  open(path: string) {\n    return path;\n  }\n}\nexport const storeLimit = 3;\n",
  "src/use.ts":
    'import { Store } from "./store.js";\nexport function openStore() {\n  return new Store().open("x");\n}\n',
  "src/store.test.ts": "class Store {}\n",
  "vendor/store.ts": "export class Store {}\n",
  "lib/tool.py": "class Store:\n    def open(self):\n        pass\n",
  ".gitignore": "ignored/\n",
  "ignored/store.ts": "export class Store {}\n",
};

for (const index of [false, true]) {
  describe.each([index ? "an index" : "no index"])("code_query with %s", () => {
    const open = async (files: Record<string, string> = sample): Promise<CodeFixture> => {
      fixture = openCodeFixture(files, { index });
      if (index) await fixture.indexed();
      return fixture;
    };

    it("finds the definition first: own code, then tests, then what is vendored", async () => {
      const { places } = await open();
      expect(await places("Store", { type: "class" })).toEqual([
        "lib/tool.py:1 class",
        "src/store.ts:1 class",
        "src/store.test.ts:1 class",
        "vendor/store.ts:1 class",
      ]);
    });

    it("gives line, column and text of a match", async () => {
      const { query } = await open();
      const { matches } = await query("openStore", { type: "function", context_lines: 1 });
      expect(matches).toEqual([
        {
          file: "src/use.ts",
          line: 2,
          column: 17,
          code: "export function openStore() {",
          context:
            'import { Store } from "./store.js";\nexport function openStore() {\n  return new Store().open("x");',
          kind: "function",
        },
      ]);
    });

    it("finds a member by its class", async () => {
      const { places } = await open();
      expect(await places("Store.open", { language: "ts" })).toEqual(["src/store.ts:2 method"]);
    });

    it("keeps to a path, a language and a glob", async () => {
      const { places } = await open();
      expect(await places("Store", { type: "class", path: "lib" })).toEqual(["lib/tool.py:1 class"]);
      expect(await places("Store", { type: "class", language: "python" })).toEqual(["lib/tool.py:1 class"]);
      expect(await places("Store", { type: "class", glob: "src/**/*.test.ts" })).toEqual([
        "src/store.test.ts:1 class",
      ]);
      expect(await places("Store", { type: "class", path: "src/store.ts" })).toEqual([
        "src/store.ts:1 class",
      ]);
    });

    it("leaves out what is ignored, unless the path leads there", async () => {
      const { places } = await open();
      expect(await places("Store", { type: "text" })).not.toContainEqual(expect.stringContaining("ignored"));
      expect(await places("Store", { type: "class", path: "ignored" })).toEqual(["ignored/store.ts:1 class"]);
    });

    it("merges definitions, files and mentions, each place once", async () => {
      const { places } = await open();
      const all = await places("storeLimit");
      expect(all[0]).toBe("src/store.ts:6 variable");
      expect(new Set(all).size).toBe(all.length);
      const store = await places("store", { case_sensitive: false });
      expect(store).toContain("src/store.ts:1 file");
      expect(store).toContain("src/use.ts:1 mention");
    });

    it("finds names by their beginning and files by their letters", async () => {
      const { places } = await open();
      expect(await places("openSt", { type: "function" })).toEqual(["src/use.ts:2 function"]);
      expect(await places("strtest", { type: "file" })).toContain("src/store.test.ts:1 file");
    });

    it("counts columns in characters, and keeps CRLF and BOM out of the code", async () => {
      const { query } = await open({ "a.js": "\uFEFFlet a = '😀é'; function later() {}\r\nlet b;\r\n" });
      const [match] = (await query("later", { type: "function" })).matches;
      expect(match).toMatchObject({ line: 1, column: 25, code: "let a = '😀é'; function later() {}" });
      const [text] = (await query("later()", { type: "text" })).matches;
      expect(text).toMatchObject({ line: 1, column: 25 });
    });

    it("shows nothing that a rule denies", async () => {
      fixture = openCodeFixture(
        { "open/a.ts": "export const keyword = 1;\n", "secret/b.ts": "export const keyword = 2;\n" },
        { index, config: { files: { forbiddenPaths: ["secret"] } } },
      );
      if (index) await fixture.indexed();
      for (const type of ["text", "all", "variable", "file"]) {
        const { matches } = await fixture.query(type === "file" ? "b.ts" : "keyword", { type });
        expect(matches.filter(({ file }) => file.startsWith("secret"))).toEqual([]);
      }
      expect((await fixture.refused("code_query", { query: "keyword", path: "secret" })).code).toBe(
        "PATH_FORBIDDEN",
      );
    });

    it("shows nothing that the policy denies this call", async () => {
      fixture = openCodeFixture(
        { "open/a.ts": "export const keyword = 1;\n", "secret/b.ts": "export const keyword = 2;\n" },
        {
          index,
          config: {
            policy: { rules: [{ id: "no-secret", tool: "*", path: ["secret/**"], decision: "deny" }] },
          },
        },
      );
      if (index) await fixture.indexed();
      for (const type of ["text", "all", "variable"]) {
        const { matches } = await fixture.query("keyword", { type });
        expect(matches.map(({ file }) => file)).toContain("open/a.ts");
        expect(matches.filter(({ file }) => file.startsWith("secret"))).toEqual([]);
      }
    });

    it("follows no links", async () => {
      fixture = openCodeFixture({ "a/x.ts": "export const here = 1;\n" }, { index });
      symlinkSync("..", fixture.path("a/loop"));
      symlinkSync("/etc", fixture.path("a/etc"));
      if (index) await fixture.indexed();
      expect(await fixture.places("here", { type: "variable" })).toEqual(["a/x.ts:1 variable"]);
      expect(await fixture.places("root:", { type: "text" })).toEqual([]);
    });

    it("bears files that are no code", async () => {
      const long = `var tiny=1;${"a".repeat(1_200_000)}`;
      fixture = openCodeFixture(
        {
          "binary.ts": "export const found = 1;\0\0\0\u0001",
          "min.js": `var found=1;${"function a(){};".repeat(100_000)}`,
          "long.js": `var found = 1;\n//${long}\n`,
          "broken.ts": "export class { ((( function found() {}\n<<<<<<< HEAD\n",
          "good.ts": "export const found = 1;\n",
          "empty.ts": "",
        },
        { index },
      );
      if (index) await fixture.indexed();
      const { matches } = await fixture.query("found", { type: "all", context_lines: 1 });
      expect(matches[0]).toMatchObject({ file: "good.ts", kind: "variable" });
      for (const { code } of matches) expect(code.length).toBeLessThanOrEqual(402);
    });
  });
}
