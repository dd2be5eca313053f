import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBlobs } from "../../store/blobs.js";
import { chooseOpener } from "../files/opener.js";
import { openBelow } from "../testing/open-below.js";
import {
  captureTree,
  createTreeStamps,
  inWalkOrder,
  readManifest,
  stampTree,
  storeManifest,
  treeHash,
  type CaptureOptions,
  type TreeEntry,
} from "./tree.js";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-tree-"));
  mkdirSync(join(base, "t"));
});
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, "t", path);
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const opener = chooseOpener();

async function withTop<Value>(act: (top: ReturnType<typeof opener.open>) => Promise<Value>): Promise<Value> {
  const top = opener.open(join(base, "t"));
  try {
    return await act(top);
  } finally {
    top.close();
  }
}

const capture = (options: Partial<CaptureOptions> = {}): Promise<TreeEntry[]> =>
  withTop((top) => captureTree(top, { opener, text: "t", ...options }));
const stamp = (): Promise<string> => withTop((top) => stampTree(top, { opener, text: "t" }));

function plant(): void {
  mkdirSync(at("d"), { mode: 0o750 });
  writeFileSync(at("d/f"), "in d", { mode: 0o640 });
  mkdirSync(at("d/e"));
  writeFileSync(at("d-f"), "beside d");
  symlinkSync("d/f", at("l"));
  execFileSync("mkfifo", [at("p")]);
  writeFileSync(Buffer.concat([Buffer.from(`${at("")}/`), Buffer.from([0xff])]), "odd");
}

describe("the list of a tree", () => {
  it("has every entry with its mode, owner, content, and its place among the contents", async () => {
    plant();
    chownSync(at("d/f"), 12, 34);
    const written: string[] = [];
    let bytes = 0;
    const writer = { write: (chunk: Uint8Array) => void written.push(Buffer.from(chunk).toString()) };
    const entries = await capture({ writer: writer as never, onBytes: (count) => (bytes += count) });
    const own = { uid: process.getuid?.(), gid: process.getgid?.() };
    const byPath = Object.fromEntries(entries.map((entry) => [entry.path, entry]));
    expect(Object.keys(byPath).toSorted()).toEqual(["d", "d-f", "d/e", "d/f", "l", "p", "\xff"]);
    expect(byPath["d"]).toEqual({ ...own, path: "d", type: "directory", mode: 0o750, size: 0 });
    expect(byPath["d/f"]).toEqual({
      path: "d/f",
      type: "file",
      mode: 0o640,
      uid: 12,
      gid: 34,
      size: 4,
      hash: sha("in d"),
      offset: expect.any(Number) as number,
    });
    expect(byPath["l"]).toEqual({ ...own, path: "l", type: "symlink", mode: 0o777, size: 3, target: "d/f" });
    expect(byPath["p"]).toEqual({ ...own, path: "p", type: "special", mode: 0o644, size: 0 });
    const pack = written.join("");
    expect(bytes).toBe(pack.length);
    for (const { type, size, hash, offset = -1 } of entries)
      if (type === "file") expect(sha(pack.slice(offset, offset + size))).toBe(hash);
    expect(entries.indexOf(byPath["d"] as TreeEntry)).toBeLessThan(
      entries.indexOf(byPath["d/f"] as TreeEntry),
    );
  });

  it("is kept and read again; an empty folder needs none", async () => {
    plant();
    mkdirSync(join(base, "blobs"));
    const blobs = openBlobs(join(base, "blobs"), () => "id");
    const entries = await capture();
    const { hash } = await storeManifest(blobs, entries);
    const image = { type: "directory", tree: "t", size: 1 } as const;
    expect(await readManifest(blobs, { ...image, manifest: hash })).toEqual(entries);
    expect(await readManifest(blobs, image)).toEqual([]);
  });
});

describe("the order of a tree", () => {
  it("has each folder before what is in it, and nothing of another between", () => {
    const paths = fc.uniqueArray(
      fc
        .array(fc.constantFrom("a", "a-", "a.b", "b", "\xff", " "), { minLength: 1, maxLength: 4 })
        .map((parts) => parts.join("/")),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(paths, (some) => {
        const entries = some.map((path) => ({ path }) as TreeEntry);
        const found = inWalkOrder(entries).map(({ path }) => path);
        expect(found.toSorted()).toEqual(some.toSorted());
        for (const [index, path] of found.entries()) {
          const below = found.flatMap((each, place) => (each.startsWith(`${path}/`) ? [place] : []));
          expect(below).toEqual(below.map((_, offset) => index + 1 + offset));
        }
        // Whatever their order was before.
        expect(inWalkOrder(entries.toReversed()).map(({ path }) => path)).toEqual(found);
      }),
    );
  });
});

describe("the hash of a tree", () => {
  const common = { mode: 0o644, uid: 1, gid: 1, size: 1 };
  const entries: TreeEntry[] = [
    { ...common, path: "d", type: "directory" },
    { ...common, path: "d/f", type: "file", hash: "h1", offset: 0 },
    { ...common, path: "d-f", type: "file", hash: "h2", offset: 1 },
    { ...common, path: "l", type: "symlink", target: "f" },
  ];

  it("does not depend on the order, on owners and on places in a pack", () => {
    expect(treeHash(entries.toReversed())).toBe(treeHash(entries));
    expect(treeHash(entries.map((each) => ({ ...each, uid: 9, gid: 9, offset: 5 })))).toBe(treeHash(entries));
  });

  it.each<[string, number, Partial<TreeEntry>]>([
    ["name", 1, { path: "d/g" }],
    ["type", 0, { type: "special" }],
    ["mode", 2, { mode: 0o755 }],
    ["content", 2, { hash: "h3" }],
    ["target", 3, { target: "g" }],
  ])("changes with every %s", (_what, index, change) => {
    const others = entries.with(index, { ...(entries[index] as TreeEntry), ...change });
    expect(treeHash(others)).not.toBe(treeHash(entries));
    expect(treeHash(entries.toSpliced(index, 1))).not.toBe(treeHash(entries));
  });
});

describe("the stamp of a tree", () => {
  it.each<[string, () => void]>([
    ["is added", () => writeFileSync(at("d/new"), "")],
    ["is removed", () => rmSync(at("d/f"))],
    ["gets another name", () => renameSync(at("d/f"), at("d/g"))],
    ["is written", () => writeFileSync(at("d/f"), "longer than before")],
    ["is touched", () => utimesSync(at("d/f"), 1, 1)],
    ["becomes a link", () => (rmSync(at("p")), symlinkSync("x", at("p")))],
  ])("changes where something %s", async (_what, change) => {
    plant();
    const before = await stamp();
    expect(await stamp()).toBe(before);
    const stamps = createTreeStamps();
    await capture({ stamps });
    expect(stamps.digest()).toBe(before);
    change();
    expect(await stamp()).not.toBe(before);
  });
});
