import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LayerEntry } from "./layer-types.js";
import { listTree } from "./list-tree.js";

let upper: string;

beforeEach(() => {
  upper = mkdtempSync(join(tmpdir(), "tenon-list-tree-"));
  mkdirSync(join(upper, "top/deep"), { recursive: true });
  chmodSync(join(upper, "top/deep"), 0o750);
  writeFileSync(join(upper, "top/deep/file"), "");
  writeFileSync(join(upper, "top/two\nlines"), "");
  symlinkSync("deep", join(upper, "top/link"));
  mkdirSync(join(upper, "other"));
});
afterEach(() => rmSync(upper, { recursive: true, force: true }));

/** More files than this process lists by itself. */
function plantMany(count: number): string[] {
  mkdirSync(join(upper, "top/many"));
  const names = Array.from({ length: count }, (_, at) => `a file with a long name, number ${at}`);
  for (const name of names) writeFileSync(join(upper, "top/many", name), "");
  return names.map((name) => `top/many/${name}`);
}

async function list(folder = "top"): Promise<LayerEntry[]> {
  const found: LayerEntry[] = [];
  for await (const entries of listTree(upper, { path: folder })) found.push(...entries);
  return found;
}
const few = ["top/deep", "top/deep/file", "top/link", "top/two\nlines"];

describe.each([0, 2000])("a tree with %i more files", (count) => {
  it("is listed whole, each once, with names and kinds, folders before what is in them", async () => {
    const many = count === 0 ? [] : ["top/many", ...plantMany(count)];
    const found = await list();
    expect(found.map(({ path }) => path).toSorted()).toEqual([...few, ...many].toSorted());
    const byPath = new Map(found.map((entry) => [entry.path, entry]));
    expect(byPath.get("top/deep")).toMatchObject({ name: "deep", kind: "folder", mode: 0o750 });
    expect(byPath.get("top/deep/file")).toMatchObject({ name: "file", kind: "file" });
    expect(byPath.get("top/link")).toMatchObject({ name: "link", kind: "link" });
    expect(byPath.get("top/two\nlines")).toMatchObject({ name: "two\nlines", kind: "file" });
    const order = found.map(({ path }) => path);
    expect(order.indexOf("top/deep")).toBeLessThan(order.indexOf("top/deep/file"));
  });

  it("has the raw names of what is not valid UTF-8", async () => {
    if (count > 0) plantMany(count);
    writeFileSync(Buffer.from(`${upper}/top/deep/\xff`, "latin1"), "");
    const odd = (await list()).find(({ name }) => name.includes("\uFFFD"));
    expect(odd?.kind).toBe("file");
    expect(odd?.bytes?.toString("latin1")).toBe("top/deep/\xff");
  });
});

it("of an empty folder has nothing, and one that is gone is an error", async () => {
  expect(await list("other")).toEqual([]);
  await expect(list("missing")).rejects.toThrow("ENOENT");
});
