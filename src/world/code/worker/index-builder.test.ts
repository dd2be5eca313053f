import { describe, expect, it } from "vitest";
import { createSyntax } from "../../../syntax/create-syntax.js";
import { createGuard } from "../../files/guard.js";
import { createPathRules } from "../../files/path-rules.js";
import { createIndexBuilder, type IndexBuilder } from "./index-builder.js";
import { IndexTables } from "./index-tables.js";
import { fileStates } from "./parser.js";
import type { ParsedFile } from "./parser-pool.js";

const version = { size: 20, changed: 1000 };

interface Fixture {
  readonly tables: IndexTables;
  readonly builder: IndexBuilder;
  /** Files that were parsed, in their order. */
  readonly parsed: string[];
  /** The same by the thread that parsed them. */
  readonly byThread: readonly [string[], string[]];
}

/** Files that were scanned with these contents; `parse` may return another version of a file. */
function openScanned(
  contents: Readonly<Record<string, string>>,
  parse: (file: string) => Partial<ParsedFile> = () => ({}),
  sizes: Readonly<Record<string, number>> = {},
): Fixture {
  const tables = new IndexTables();
  const parsed: string[] = [];
  const byThread: [string[], string[]] = [[], []];
  const name = tables.names.add("shared");
  const pool = {
    size: 2,
    rest: async () => undefined,
    stop: async () => undefined,
    run: async (_kind: "scan" | "parse", files: readonly string[], thread: number): Promise<ParsedFile[]> =>
      files.map((file) => {
        parsed.push(file);
        byThread[thread === 0 ? 0 : 1].push(file);
        const symbols = Int32Array.of(name, 0, parsed.length, 1, -1);
        const found = { ...version, state: fileStates.parsed, possibleNames: undefined, content: undefined };
        return { ...found, symbols, ...parse(file) };
      }),
  };
  for (const [path, content] of Object.entries(contents)) {
    const known = { state: fileStates.scanned, readAt: 5, possibleNames: undefined, symbols: undefined };
    const own = { ...version, size: sizes[path] ?? version.size };
    tables.setContent(tables.addFile(path, own), { ...own, ...known, content });
  }
  const guard = createGuard({ rules: createPathRules({ workspace: process.cwd() }), maxFileSize: 1e6 });
  const builder = createIndexBuilder({ guard, tables, pool, syntax: createSyntax() });
  return { tables, parsed, byThread, builder };
}

const fileAt = (tables: IndexTables, path: string): ReturnType<IndexTables["file"]> =>
  tables.file(tables.find(path) ?? -1);

describe("parsing scanned files", () => {
  it("parses a content once for all files that have it", async () => {
    const { tables, parsed, builder } = openScanned({
      "node_modules/a/x.ts": "same",
      "b.ts": "same",
      "c.ts": "other",
      "d.ts": "same",
    });
    await builder.parse(() => false);
    // The workspace's own files before vendored ones.
    expect(parsed).toEqual(["b.ts", "c.ts"]);
    expect(tables.parsedCount).toBe(4);
    const { symbols } = fileAt(tables, "b.ts")!;
    for (const copy of ["node_modules/a/x.ts", "d.ts"]) {
      expect(fileAt(tables, copy)).toMatchObject({ ...version, state: fileStates.parsed, readAt: 5 });
      expect(fileAt(tables, copy)?.symbols).toBe(symbols);
    }
    const places = [...tables.postings(tables.names.add("shared"))].map(
      ({ file }) => tables.file(file)?.path,
    );
    expect(new Set(places)).toEqual(new Set(["b.ts", "c.ts", "d.ts", "node_modules/a/x.ts"]));
  });

  it.each(["size", "changed"])("parses the copies of a file with another %s by then", async (what) => {
    const { tables, parsed, builder } = openScanned(
      { "a.ts": "same", "b.ts": "same", "c.ts": "same" },
      (file) => (file === "a.ts" ? { [what]: 9 } : {}),
    );
    await builder.parse(() => false);
    expect(parsed).toEqual(["a.ts", "b.ts"]);
    expect(fileAt(tables, "a.ts")?.[what as "size"]).toBe(9);
    expect(fileAt(tables, "c.ts")?.symbols).toBe(fileAt(tables, "b.ts")?.symbols);
  });

  it("parses the copies of a file that was deleted", async () => {
    const { tables, parsed, builder } = openScanned({ "a.ts": "same", "b.ts": "same" }, (file) =>
      file === "a.ts" ? { state: fileStates.gone } : {},
    );
    await builder.parse(() => false);
    expect(parsed).toEqual(["a.ts", "b.ts"]);
    expect(tables.find("a.ts")).toBeUndefined();
    expect(fileAt(tables, "b.ts")?.state).toBe(fileStates.parsed);
  });

  it("gives large files to one thread, and those of the workspace before vendored ones", async () => {
    const large = { "l1.ts": 1e6, "node_modules/l2.ts": 1e6, "l3.ts": 1e6, "l4.ts": 1e6 };
    const own = Array.from({ length: 12 }, (_, at) => `s${at}.ts`);
    const small = Object.fromEntries([...own, "node_modules/s.ts"].map((file) => [file, 4e5]));
    const sizes = { ...large, ...small };
    const contents = Object.fromEntries(Object.keys(sizes).map((file) => [file, file]));
    const { parsed, byThread, builder } = openScanned(contents, undefined, sizes);
    await builder.parse(() => false);
    expect(byThread[0]).toEqual(expect.arrayContaining(["l1.ts", "l3.ts", "l4.ts"]));
    expect(own).toEqual(expect.arrayContaining(byThread[1].filter((file) => file.startsWith("s"))));
    expect(parsed.slice(0, 15).filter((file) => file.startsWith("node_modules"))).toEqual([]);
    expect(new Set(parsed)).toEqual(new Set(Object.keys(sizes)));
  });

  it("parses the files of a language together, rare languages later and those with a slow grammar last", async () => {
    const files = ["a.ps1", "b.ts", "c.sh", "d.py", "e.ts", "f.py", "node_modules/g.ts", "node_modules/h.sh"];
    const contents = Object.fromEntries(files.map((file) => [file, file]));
    const { parsed, builder } = openScanned(contents, undefined, { "b.ts": 300, "d.py": 310, "a.ps1": 500 });
    await builder.parse(() => false);
    expect(parsed).toEqual(["d.py", "f.py", "b.ts", "e.ts", "c.sh", ...files.slice(6), "a.ps1"]);
  });

  it("leaves the rest when it is told to end", async () => {
    const { tables, parsed, builder } = openScanned({ "a.ts": "same", "b.ts": "other" });
    await builder.parse(() => true);
    expect([parsed, tables.parsedCount]).toEqual([[], 0]);
  });
});
