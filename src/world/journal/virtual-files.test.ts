import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseOpener } from "../files/opener.js";
import { openBelow } from "../testing/open-below.js";
import type { TreeEntry } from "./tree.js";
import { createVirtualFiles, type VirtualFiles, type VirtualNode } from "./virtual-files.js";

let base: string;
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-virtual-")))));
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, path);
const file = (size: number): VirtualNode => ({
  type: "file",
  size,
  source: { kind: "data", data: new Uint8Array(size) },
});

/** What can be told of a path by looking at it. */
function shape(node: VirtualNode | null): string {
  if (node === null) return "nothing";
  if (node.type === "file") return `file of ${node.size}`;
  if (node.type === "symlink") return `link to ${node.target}`;
  return node.type === "directory" && node.mode !== undefined
    ? `directory ${node.mode.toString(8)}`
    : node.type;
}

function shapeOnDisk(path: string): string {
  // What is reached through a link is not there by this path.
  const parent = dirname(path);
  if (!existsSync(parent) || realpathSync(parent) !== parent || !statSync(parent).isDirectory())
    return "nothing";
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return "nothing";
  if (stat.isFile()) return `file of ${stat.size}`;
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  return `directory ${(stat.mode & 0o7777).toString(8)}`;
}

describe("the disk before any step", () => {
  it("is as it is, with modes, owners, sizes and places", () => {
    mkdirSync(at("d"), { mode: 0o750 });
    writeFileSync(at("f"), "12345", { mode: 0o640 });
    symlinkSync("goal", at("l"));
    execFileSync("mkfifo", [at("p")]);
    const files = createVirtualFiles(chooseOpener());
    const stat = (path: string) => lstatSync(at(path), { bigint: true });
    const own = { uid: process.getuid?.(), gid: process.getgid?.() };
    const found = (path: string, mode: number) => ({
      ...own,
      mode,
      disk: { real: at(path), stat: expect.objectContaining({ ino: stat(path).ino }) as unknown },
    });
    expect(files.look(at("d"))).toEqual({ ...found("d", 0o750), type: "directory" });
    expect(files.look(at("f"))).toEqual({
      ...found("f", 0o640),
      type: "file",
      size: 5,
      source: { kind: "disk", real: at("f") },
    });
    expect(files.look(at("l"))).toEqual({ ...found("l", 0o777), type: "symlink", target: "goal" });
    expect(files.look(at("p"))).toMatchObject({ type: "other" });
    expect(files.look(at("none"))).toBeNull();
    expect(files.look(at("f/inner"))).toBeNull();
    expect(files.untouched(at("d"))).toBe(at("d"));
    expect(files.origin(at("d"))).toBe(at("d"));
  });

  it("has names that are no valid UTF-8", async () => {
    writeFileSync(Buffer.from(`${base}/\xff`, "latin1"), "x");
    const files = createVirtualFiles(chooseOpener());
    const [name = ""] = await files.names(base);
    expect(files.look(at(name))).toMatchObject({ type: "file", size: 1 });
  });
});

describe("a folder that a step unpacks", () => {
  const common = { mode: 0o600, uid: 1, gid: 2 };
  const entries: TreeEntry[] = [
    { ...common, path: "d", type: "directory", size: 0, mode: 0o755 },
    { ...common, path: "d/deep", type: "directory", size: 0, mode: 0o700 },
    { ...common, path: "d/deep/f", type: "file", size: 3, hash: "h1", offset: 7 },
    { ...common, path: "d/empty", type: "file", size: 0, hash: "h0", offset: 7 },
    { ...common, path: "d-e", type: "file", size: 7, hash: "h2" },
    { ...common, path: "l", type: "symlink", size: 4, target: "goal" },
    { ...common, path: "p", type: "special", size: 0 },
    { ...common, path: "\xff", type: "file", size: 1, hash: "h3", offset: 10 },
  ];
  const unpack = (pack?: string): VirtualFiles => {
    const files = createVirtualFiles(chooseOpener());
    const tree = { entries, ...(pack !== undefined && { pack }) };
    files.set(at("t"), { type: "directory", mode: 0o711, madeBy: 4, tree });
    return files;
  };

  it("has all that is packed in it", async () => {
    const files = unpack("pack");
    const made = { mode: 0o600, uid: 1, gid: 2, madeBy: 4 };
    const packed = (offset: number, size: number) => ({ kind: "packed", pack: "pack", offset, size });
    expect(files.look(at("t"))).toMatchObject({ type: "directory", mode: 0o711 });
    expect(files.look(at("t/d/deep/f"))).toEqual({
      ...made,
      type: "file",
      size: 3,
      hash: "h1",
      source: packed(7, 3),
    });
    expect(files.look(at("t/d-e"))).toMatchObject({ size: 7, source: packed(0, 7) });
    expect(files.look(at("t/d/empty"))).toMatchObject({
      size: 0,
      source: { kind: "data", data: new Uint8Array() },
    });
    expect(files.look(at("t/l"))).toEqual({ ...made, type: "symlink", target: "goal" });
    expect(files.look(at("t/p"))).toEqual({ ...made, type: "other" });
    expect(files.look(at("t/none"))).toBeNull();
    expect(files.look(at("t/d-e/inner"))).toBeNull();
    expect(files.look(at("t/d"))).toEqual({
      ...made,
      mode: 0o755,
      type: "directory",
      tree: {
        pack: "pack",
        entries: [
          { ...common, path: "deep", type: "directory", size: 0, mode: 0o700 },
          { ...common, path: "deep/f", type: "file", size: 3, hash: "h1", offset: 7 },
          { ...common, path: "empty", type: "file", size: 0, hash: "h0", offset: 7 },
        ],
      },
    });
    expect((await files.names(at("t"))).toSorted()).toEqual(["d", "d-e", "l", "p", expect.any(String)]);
    expect((await files.names(at("t/d"))).toSorted()).toEqual(["deep", "empty"]);
    expect(await files.names(at("t/d-e"))).toEqual([]);
    expect(await files.names(at("t/none"))).toEqual([]);
    const odd = (await files.names(at("t"))).find((name) => !["d", "d-e", "l", "p"].includes(name)) ?? "";
    expect(files.look(at(`t/${odd}`))).toMatchObject({ type: "file", size: 1, hash: "h3" });
    expect(files.untouched(at("t/d"))).toBeUndefined();
    expect(files.origin(at("t/d"))).toBeUndefined();
    files.move(at("t/d"), at("u"));
    expect(files.look(at("u/deep/f"))).toMatchObject({ size: 3, source: packed(7, 3) });
    expect(files.look(at("t/d"))).toBeNull();
    expect((await files.names(at("t"))).includes("d")).toBe(false);
  });

  it("has empty files where nothing is packed", () => {
    const files = unpack();
    expect(files.look(at("t/d-e"))).toMatchObject({ source: { kind: "data", data: new Uint8Array() } });
    const { tree } = files.look(at("t/d")) as { tree?: object };
    expect(tree).toHaveProperty("entries");
    expect(tree).not.toHaveProperty("pack");
  });
});

describe("any planned steps", () => {
  const names = ["a", "b", "c"];
  const path = fc
    .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("/"));
  const step = fc.oneof(
    fc.record({ kind: fc.constant("file" as const), path, size: fc.nat({ max: 9 }) }),
    fc.record({ kind: fc.constant("folder" as const), path }),
    fc.record({ kind: fc.constant("remove" as const), path }),
    fc.record({ kind: fc.constant("move" as const), from: path, path }),
    fc.record({ kind: fc.constant("mode" as const), path, mode: fc.constantFrom(0o700, 0o750) }),
  );
  const everywhere = names.flatMap((one) => [
    one,
    ...names.flatMap((two) => [`${one}/${two}`, ...names.map((three) => `${one}/${two}/${three}`)]),
  ]);

  /** Do a step on the disk, where it can be done; a plan has no others. */
  function perform(root: string, { kind, path: name, ...rest }: { kind: string; path: string }): boolean {
    const real = join(root, name);
    const own = shapeOnDisk(real);
    const isFolder = (place: string): boolean => shapeOnDisk(place).startsWith("directory");
    if (!isFolder(dirname(real))) return false;
    const { size = 0, mode = 0, from = "" } = rest as { size?: number; mode?: number; from?: string };
    if (kind === "file") {
      if (isFolder(real) || own.startsWith("link")) return false;
      writeFileSync(real, "x".repeat(size));
    } else if (kind === "folder") {
      if (own !== "nothing") return false;
      mkdirSync(real, { mode: 0o755 });
    } else if (kind === "remove") {
      if (own === "nothing") return false;
      rmSync(real, { recursive: true });
    } else if (kind === "mode") {
      if (!isFolder(real)) return false;
      chmodSync(real, mode);
    } else {
      if (own !== "nothing" || name.startsWith(from) || shapeOnDisk(join(root, from)) === "nothing")
        return false;
      renameSync(join(root, from), real);
    }
    return true;
  }

  it("lead to what is on the disk after them, and leave the disk as it is until then", async () => {
    let performed = 0;
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
        const [planned, done] = ["planned", "done"].map((name) => at(`${name}${(round += 1)}`)) as [
          string,
          string,
        ];
        for (const root of [planned, done]) {
          mkdirSync(join(root, "a/b"), { recursive: true });
          mkdirSync(join(root, "b"));
          writeFileSync(join(root, "a/b/c"), "abc");
          writeFileSync(join(root, "a/c"), "ac");
          symlinkSync("a", join(root, "c"));
        }
        const files = createVirtualFiles(chooseOpener());
        for (const each of steps) {
          if (!perform(done, each)) continue;
          performed += 1;
          const real = join(planned, each.path);
          if (each.kind === "file") files.set(real, file(each.size));
          else if (each.kind === "folder") files.set(real, { type: "directory", mode: 0o755 });
          else if (each.kind === "remove") files.set(real, null);
          else if (each.kind === "mode") files.setMode(real, each.mode);
          else files.move(join(planned, each.from), real);
        }
        for (const name of everywhere) {
          const [there, here] = [shape(files.look(join(planned, name))), shapeOnDisk(join(done, name))];
          expect([name, there]).toEqual([name, here]);
          if (!here.startsWith("directory")) continue;
          const listed = (await files.names(join(planned, name))).toSorted();
          expect([name, ...listed]).toEqual([name, ...readdirSync(join(done, name)).toSorted()]);
          // Where a folder is still to be found on the disk as it is, it has the same in it.
          const untouched = files.untouched(join(planned, name));
          if (untouched !== undefined) expect(readdirSync(untouched).toSorted()).toEqual(listed);
        }
      }),
      { numRuns: 150 },
    );
    expect(performed).toBeGreaterThan(150);
  });
});

describe("a folder on the disk", () => {
  it("is untouched as long as no step changes it or anything in it, wherever it is moved", () => {
    mkdirSync(at("a/b/c"), { recursive: true });
    mkdirSync(at("x"));
    const files = createVirtualFiles(chooseOpener());
    files.set(at("other"), file(1));
    expect(files.untouched(at("a"))).toBe(at("a"));
    files.move(at("a"), at("x/a"));
    expect(files.untouched(at("x/a/b"))).toBe(at("a/b"));
    expect(files.origin(at("x/a/b"))).toBe(at("a/b"));
    expect(files.untouched(at("x"))).toBeUndefined();
    expect(files.origin(at("x"))).toBe(at("x"));
    files.set(at("x/a/b/new"), file(1));
    expect(files.untouched(at("x/a"))).toBeUndefined();
    expect(files.untouched(at("x/a/b/c"))).toBe(at("a/b/c"));
    expect(files.origin(at("x/a"))).toBe(at("a"));
    files.setMode(at("x/a/b/c"), 0o700);
    expect(files.untouched(at("x/a/b/c"))).toBeUndefined();
    expect(files.origin(at("x/a/b/c"))).toBe(at("a/b/c"));
    files.set(at("x/a"), null);
    expect(files.origin(at("x/a"))).toBeUndefined();
  });
});
