import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFolderCache, type Folder, type FolderCache, type NameScreen } from "./folder-cache.js";
import type { SensitivePathFinder } from "./quarantine/sensitive-paths.js";

let folder: string;
let ahead: number;
/** The folders that were read, not taken from the cache. */
let reads: string[];
let cache: FolderCache;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-folders-"));
  ahead = 0;
  reads = [];
  const finder: SensitivePathFinder = {
    look(path) {
      reads.push(path);
      return [{ path, kind: "directory", what: "named", rule: "test" }];
    },
  };
  cache = createFolderCache(() => Date.now() + ahead, finder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const screenFor = (key: string): NameScreen => ({ key, mayMatch: (name) => name.includes(key) });
const list = (key = "a", path = folder): Folder => cache.list({ path }, screenFor(key)) as Folder;
const names = (entries: Folder["entries"]): string[] => entries.map(({ name }) => name).toSorted();

describe("a listing", () => {
  it("has what is in the folder, its folders, and the names that rules may apply to", () => {
    writeFileSync(join(folder, "a.txt"), "");
    mkdirSync(join(folder, "b"));
    symlinkSync("a.txt", join(folder, "link-a"));
    const found = list();
    expect(found.entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { name: "a.txt", kind: "file" },
      { name: "b", kind: "directory" },
      { name: "link-a", kind: "link" },
    ]);
    expect(names(found.folders)).toEqual(["b"]);
    expect(names(found.marked)).toEqual(["a.txt", "link-a"]);
    expect(found.sensitive).toMatchObject([{ path: folder, rule: "test" }]);
  });

  it("has the raw name where it is not valid UTF-8, and not where the name has that character itself", () => {
    const raw = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x61, 0xff])]);
    writeFileSync(raw, "");
    writeFileSync(join(folder, "real \uFFFD"), "");
    const byName = new Map(list().entries.map((entry) => [entry.name, entry]));
    expect(byName.get("a\uFFFD")).toEqual({
      name: "a\uFFFD",
      kind: "file",
      bytes: Buffer.from([0x61, 0xff]),
    });
    expect(byName.get("real \uFFFD")).toEqual({ name: "real \uFFFD", kind: "file" });
  });

  it("is not made of what is gone, a file, a link to a folder, or has too long a path", () => {
    writeFileSync(join(folder, "file"), "");
    symlinkSync(folder, join(folder, "link"));
    const found = ["missing", "file", "link"].map((name) =>
      cache.list({ path: join(folder, name) }, screenFor("")),
    );
    expect(found).toEqual([undefined, undefined, undefined]);
    expect(cache.list({ path: join(folder, "x".repeat(5000)) }, screenFor(""))).toBe("too-long");
  });
});

describe("a listing that is kept", () => {
  beforeEach(() => void (ahead = 60_000));

  it("is used again while the folder is unchanged, with the marks of other rules", () => {
    writeFileSync(join(folder, "a"), "");
    writeFileSync(join(folder, "b"), "");
    expect(names(list("a").marked)).toEqual(["a"]);
    expect(names(list("b").marked)).toEqual(["b"]);
    expect(names(list("b").marked)).toEqual(["b"]);
    expect(reads).toEqual([folder]);
    writeFileSync(join(folder, "c"), "");
    expect(names(list("c").entries)).toEqual(["a", "b", "c"]);
    expect(reads).toHaveLength(2);
  });

  it("is not used where the folder changed so lately that a change could go unnoticed", () => {
    ahead = 0;
    list();
    list();
    expect(reads).toHaveLength(2);
    ahead = 60_000;
    list();
    list();
    expect(reads).toHaveLength(3);
  });

  it("is not used for another folder of the same name", () => {
    list();
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    list();
    expect(reads).toHaveLength(2);
  });

  it("is dropped after it was not used between two calls of prune", () => {
    list();
    cache.prune();
    list();
    cache.prune();
    list();
    expect(reads).toHaveLength(1);
    cache.prune();
    cache.prune();
    cache.prune();
    list();
    expect(reads).toHaveLength(2);
  });

  it("is not made of a path with a name that is not valid UTF-8", () => {
    const bytes = Buffer.from(folder);
    for (let round = 0; round < 2; round++) cache.list({ path: folder, bytes }, screenFor(""));
    expect(reads).toHaveLength(2);
  });
});
