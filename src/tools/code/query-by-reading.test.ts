import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ToolExecutionError, ToolValidationError } from "../../contract/errors.js";
import { createTestContext, type TestContext } from "../../test-kit/create-test-context.js";
import { codeQuery } from "./code-query.js";

let ctx: TestContext;
let failure: Error;

interface Found {
  readonly matches: readonly { readonly file: string; readonly line: number; readonly kind: string }[];
  readonly truncated: boolean;
  readonly notes: readonly string[];
}

beforeAll(async () => {
  ctx = await createTestContext({
    files: {
      "src/find-me.ts": "// here\nexport function findMe() {}\nfindMe();\n",
      "docs/notes.md": "FINDME\n",
      "image.bin": new Uint8Array([0, 1, 2, 0x66, 0x69, 0x6e, 0x64, 0x4d, 0x65, 0]),
      ".gitignore": "ignored\n",
      "ignored/a.ts": "findMe\n",
    },
    overrides: { code: { search: () => Promise.reject(failure), grep: () => Promise.reject(failure) } },
  });
});
afterAll(() => ctx.close());

const ask = async (input: object): Promise<Found> => {
  const all = { type: "all", regex: false, context_lines: 0, limit: 20, ...input };
  return (await codeQuery.execute(all, ctx)) as Found;
};
const placesOf = ({ matches }: Found): string[] =>
  matches.map(({ file, line, kind }) => `${file}:${line} ${kind}`);

describe("code_query where search itself fails", () => {
  it("lists and reads the files instead, and says so", async () => {
    failure = new ToolExecutionError("The search thread has died.");
    const found = await ask({ query: "findMe" });
    expect(placesOf(found).sort()).toEqual(["src/find-me.ts:2 text", "src/find-me.ts:3 text"]);
    expect(found.notes.join()).toContain("listed and read one by one");
    expect(placesOf(await ask({ query: "find-me", type: "file" }))).toEqual(["src/find-me.ts:1 file"]);
  });

  it("follows path, glob, limit, case and regular expressions", async () => {
    failure = new ToolExecutionError("The search thread has died.");
    expect(placesOf(await ask({ query: "findme", type: "text", path: "docs" }))).toEqual([
      "docs/notes.md:1 text",
    ]);
    expect(placesOf(await ask({ query: "findme", type: "text", glob: "*.ts" }))).toHaveLength(2);
    expect(placesOf(await ask({ query: "findme", type: "text", language: "markdown" }))).toEqual([
      "docs/notes.md:1 text",
    ]);
    expect(placesOf(await ask({ query: "find\\w+\\(\\);", type: "text", regex: true }))).toEqual([
      "src/find-me.ts:3 text",
    ]);
    const folded = { query: "^find[m]e", type: "text", regex: true };
    expect(placesOf(await ask(folded)).sort()).toEqual(["docs/notes.md:1 text", "src/find-me.ts:3 text"]);
    expect(placesOf(await ask({ ...folded, case_sensitive: true }))).toEqual([]);
    expect(await ask({ query: "findme", type: "text", limit: 1 })).toMatchObject({ truncated: true });
  });

  it("passes on an error that is about the query", async () => {
    failure = new ToolValidationError("The regular expression cannot be used.");
    await expect(ask({ query: "(", regex: true })).rejects.toThrow("cannot be used");
  });
});
