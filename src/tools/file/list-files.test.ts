import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolProgress } from "../../contract/tool.js";
import { listFiles } from "./list-files.js";
import { openReadFixture, type ReadFixture } from "./testing/read-fixture.js";

interface Listed {
  path: string;
  files: { name: string; path: string; type: string; size: number; modified: number }[];
  truncated: boolean;
  note?: string;
}

let fixture: ReadFixture;

beforeEach(() => {
  fixture = openReadFixture();
});
afterEach(() => fixture.close());

const put = (path: string, text = "x"): void => {
  mkdirSync(dirname(fixture.path(path)), { recursive: true });
  writeFileSync(fixture.path(path), text);
};
const list = async (input: object = {}): Promise<Listed> =>
  (await fixture.run(listFiles, input)) as unknown as Listed;
const pathsOf = ({ files }: Listed): string[] => files.map((file) => file.path);

describe("list_files", () => {
  it("lists a directory with types, sizes and times", async () => {
    put("a.txt", "12345");
    put("sub/b.txt");
    symlinkSync("a.txt", fixture.path("link"));
    utimesSync(fixture.path("a.txt"), 2000, 2000);
    const result = await list();
    expect(result).toMatchObject({ path: ".", truncated: false });
    expect(result.files).toMatchObject([
      { name: "a.txt", path: "a.txt", type: "file", size: 5, modified: 2_000_000 },
      { name: "link", type: "symlink" },
      { name: "sub", type: "directory" },
    ]);
    expect(listFiles.render?.(result, {})).toBe("a.txt  5 B\nlink@\nsub/");
  });

  it("goes below where it is told to, or where the pattern does", async () => {
    for (const path of ["src/a.ts", "src/deep/b.ts", "src/c.js", "d.ts"]) put(path);
    expect(pathsOf(await list({ recursive: true, pattern: "*.ts" }))).toEqual([
      "d.ts",
      "src/a.ts",
      "src/deep/b.ts",
    ]);
    expect(pathsOf(await list({ pattern: "*.ts" }))).toEqual(["d.ts"]);
    expect(pathsOf(await list({ pattern: "src/**/*.ts" }))).toEqual(["src/a.ts", "src/deep/b.ts"]);
    expect(pathsOf(await list({ path: "src", pattern: "*/b.*" }))).toEqual(["src/deep/b.ts"]);
    expect(pathsOf(await list({ recursive: true, pattern: "de*/" }))).toEqual(["src/deep"]);
  });

  it("leaves out what git ignores, says how much, and shows it when asked", async () => {
    put(".gitignore", "dist/\n*.log\n!keep.log\n");
    for (const path of ["dist/x.js", "a.log", "keep.log", ".env"]) put(path);
    const result = await list({ recursive: true });
    expect(pathsOf(result)).toEqual([".env", ".gitignore", "keep.log"]);
    expect(result.note).toMatch(/2 ignored entries .*include_ignored/);
    expect(pathsOf(await list({ recursive: true, include_ignored: true }))).toContain("dist/x.js");
  });

  it("stops at the limit and says how to go on", async () => {
    for (let at = 0; at < 30; at += 1) put(`f${String(at).padStart(2, "0")}`);
    const result = await list({ limit: 10 });
    expect(result.files).toHaveLength(10);
    expect(result).toMatchObject({
      truncated: true,
      note: expect.stringMatching(/raise the limit/) as string,
    });
    expect(await list({ limit: 30 })).toMatchObject({ truncated: false });
  });

  it("tells what it finds while it walks", async () => {
    for (let at = 0; at < 3000; at += 1) put(`d${at % 30}/f${at}`, "");
    const running = listFiles.execute(
      { path: ".", recursive: true, include_ignored: false, limit: 5000 },
      fixture.ctx,
    ) as AsyncGenerator<ToolProgress, Listed>;
    const first = await running.next();
    expect(first.done).toBe(false);
    expect((first.value as ToolProgress).output).toMatch(/^d0\/\n/);
    await running.return(undefined as never);
  });

  it.each([
    [{ path: "nowhere" }, /not found/],
    [{ path: "a.txt" }, /is not a directory/],
    [{ pattern: "@(a|b)" }, /Invalid pattern/],
    [{ pattern: "../x" }, /Invalid pattern/],
    [{ limit: 0 }, /limit/],
    [{ limit: Number.NaN }, /limit/],
    [{ path: ".." }, /Access denied/],
  ])("refuses %j", async (input, message) => {
    put("a.txt");
    await expect(list(input)).rejects.toThrow(message);
  });

  it("says so where there is nothing", async () => {
    expect((await list()).note).toBe("The directory is empty.");
    put("a.txt");
    expect((await list({ pattern: "*.rs" })).note).toBe("Nothing matches the pattern.");
  });
});
