import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RenamedNode, RenameStep } from "../../contract/ports/journal.js";
import { openBlobs } from "../../store/blobs.js";
import { chooseOpener } from "../files/opener.js";
import { asOrdinaryUser } from "../testing/as-ordinary-user.js";
import { inodeOf } from "./open-path.js";
import { isAsRenamed, renamedDirectory, renamedNode, toSetStep, type MatchDeps } from "./renamed-node.js";
import { readBytes } from "./sources.js";
import { tempDir } from "./testing/temp-dir.js";
import { createVirtualFiles, type VirtualNode } from "./virtual-files.js";

let base: string;
let deps: MatchDeps;

beforeEach(() => {
  base = tempDir("renamed");
  chmodSync(base, 0o755);
  mkdirSync(join(base, "blobs"));
  const opener = chooseOpener();
  let ids = 0;
  const blobs = openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`);
  const store = { changesAfter: async () => [] } as never;
  deps = { opener, blobs, files: createVirtualFiles(opener), onBytes: () => {}, store, isCopy: false };
  writeFileSync(at("f"), "text");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (path: string): string => join(base, path);
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const look = (path: string): VirtualNode => createVirtualFiles(deps.opener).look(at(path)) as VirtualNode;
const stat = (path: string) => lstatSync(at(path), { bigint: true });
const modified = (path: string): string => String(stat(path).mtimeNs);

describe("what is remembered of what is renamed", () => {
  it("is the hash of a file that comes, and not of one that goes", async () => {
    const known = { type: "file", size: 4, modified: modified("f") };
    expect(await renamedNode(deps, look("f"), "workspace")).toEqual({ ...known, hash: sha("text") });
    expect(await renamedNode(deps, look("f"), "store")).toEqual(known);
    const planned = { type: "file", size: 4, source: { kind: "data", data: Buffer.from("text") } } as const;
    expect(await renamedNode(deps, planned, "workspace")).toEqual({
      type: "file",
      size: 4,
      hash: sha("text"),
    });
    expect(await renamedNode(deps, { ...planned, hash: "h" }, "store")).toEqual({
      type: "file",
      size: 4,
      hash: "h",
    });
  });

  it("is no hash of a file beyond 8 MB, or of one that its owner may not read", async () => {
    truncateSync(at("f"), 1 << 23);
    expect(await renamedNode(deps, look("f"), "workspace")).toHaveProperty("hash");
    truncateSync(at("f"), (1 << 23) + 1);
    expect(await renamedNode(deps, look("f"), "workspace")).not.toHaveProperty("hash");
    truncateSync(at("f"), 1);
    chmodSync(at("f"), 0o200);
    await asOrdinaryUser(async () => {
      expect(await renamedNode(deps, look("f"), "workspace")).not.toHaveProperty("hash");
    });
    const gone = look("f");
    rmSync(at("f"));
    await expect(renamedNode(deps, gone, "workspace")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is the mode of a folder that its owner may not change, the target of a link, and of others that they are", async () => {
    for (const [mode, kept] of [
      [0o755, {}],
      [0o200, {}],
      [0o555, { mode: 0o555 }],
      [0, { mode: 0 }],
    ] as const)
      expect(renamedDirectory(mode)).toEqual({ type: "directory", size: 0, ...kept });
    expect(await renamedNode(deps, { type: "directory", mode: 0o500 }, "store")).toHaveProperty(
      "mode",
      0o500,
    );
    expect(await renamedNode(deps, { type: "directory" }, "store")).not.toHaveProperty("mode");
    symlinkSync("target", at("l"));
    expect(await renamedNode(deps, look("l"), "store")).toEqual({
      type: "symlink",
      size: 6,
      target: "target",
    });
    execFileSync("mkfifo", [at("p")]);
    expect(await renamedNode(deps, look("p"), "store")).toEqual({ type: "special", size: 0 });
  });
});

describe("whether something is still as it came", () => {
  const isSame = (
    path: string,
    node: RenamedNode,
    more: Partial<RenameStep> = {},
    time = Date.now() + 60_000,
  ) => {
    const inode = inodeOf(stat(path));
    const step: RenameStep = {
      kind: "rename",
      path: at(path),
      stored: "",
      into: "workspace",
      inode,
      node,
      ...more,
    };
    return isAsRenamed(deps, { step, entry: 1, seq: 0, time }, look(path));
  };

  it("is told of a file by its time, or by its content", async () => {
    const known = { type: "file", size: 4, modified: modified("f"), hash: sha("text") } as const;
    const { hash: _, ...large } = known;
    expect(await isSame("f", large)).toBe(true);
    // Touched, or another file: its content tells.
    expect(await isSame("f", { ...known, modified: "1" })).toBe(true);
    expect(await isSame("f", known, { inode: "1:1" })).toBe(true);
    expect(await isSame("f", { ...large, modified: "1" })).toBe(false);
    expect(await isSame("f", large, { inode: "1:1" })).toBe(false);
    expect(await isSame("f", { ...known, modified: "1", hash: sha("other") })).toBe(false);
    expect(await isSame("f", { ...known, size: 5 })).toBe(false);
    expect(await isSame("f", { ...known, type: "symlink" })).toBe(false);
    expect(await isSame("f", { ...known, type: "special" })).toBe(false);
  });

  it("is told of a link by its target, and of a FIFO by its inode", async () => {
    symlinkSync("target", at("l"));
    expect(await isSame("l", { type: "symlink", size: 6, target: "target" })).toBe(true);
    expect(await isSame("l", { type: "symlink", size: 6, target: "other!" })).toBe(false);
    execFileSync("mkfifo", [at("p")]);
    expect(await isSame("p", { type: "special", size: 0 })).toBe(true);
    expect(await isSame("p", { type: "special", size: 0 }, { inode: "1:1" })).toBe(false);
    const step = { kind: "rename", path: at("p"), node: { type: "special", size: 0 } } as never;
    expect(await isAsRenamed(deps, { step, entry: 1, seq: 0, time: 0 }, null)).toBe(false);
  });

  it("is told of a folder by whether anything in it was written since", async () => {
    mkdirSync(at("d"));
    writeFileSync(at("d/inner"), "x");
    const folder = { type: "directory", size: 0 } as const;
    const written = Number(stat("d/inner").ctimeMs);
    expect(await isSame("d", folder)).toBe(true);
    expect(await isSame("d", folder, {}, written + 5)).toBe(true);
    expect(await isSame("d", folder, {}, written)).toBe(false);
    expect(await isSame("d", folder, {}, written + 4)).toBe(false);
    deps = { ...deps, isCopy: true };
    expect(await isSame("d", folder, {}, written)).toBe(true);
    deps.files.set(at("d"), { type: "directory" });
    expect(await isSame("d", folder)).toBe(false);
  });
});

describe("a rename as a step with contents", () => {
  const landed = (node: RenamedNode): RenameStep => ({
    kind: "rename",
    path: at("f"),
    stored: "",
    into: "workspace",
    inode: null,
    node,
  });
  const after = { type: "file", size: 4, hash: sha("text") } as const;

  it("has what came and what it replaced, whose content can be read then", async () => {
    const pack = (await deps.blobs.put(Buffer.from("..text.."))).hash;
    expect(await toSetStep(deps, landed({ ...after, pack, offset: 2 }), undefined)).toEqual({
      kind: "set",
      path: at("f"),
      before: null,
      after,
      temp: "",
    });
    expect(Buffer.from(await readBytes(deps, { kind: "blob", hash: sha("text") })).toString()).toBe("text");
    writeFileSync(at("old"), "old one");
    const replaced = { ...landed({ type: "file", size: 7 }), into: "store", stored: at("old") } as const;
    expect(await toSetStep(deps, landed(after), replaced)).toMatchObject({
      before: { type: "file", size: 7, hash: sha("old one") },
    });
    expect(deps.blobs.has(sha("old one"))).toBe(true);
  });

  it("is none where no content is known, or what was replaced is no file or too large", async () => {
    const { hash: _, ...unknown } = after;
    expect(await toSetStep(deps, landed(unknown), undefined)).toBeUndefined();
    expect(await toSetStep(deps, landed({ ...after, type: "symlink" }), undefined)).toBeUndefined();
    const replaced = (node: RenamedNode): RenameStep => ({ ...landed(node), into: "store", stored: at("f") });
    expect(await toSetStep(deps, landed(after), replaced({ type: "directory", size: 0 }))).toBeUndefined();
    expect(
      await toSetStep(deps, landed(after), replaced({ type: "file", size: (1 << 23) + 1 })),
    ).toBeUndefined();
    expect(await toSetStep(deps, landed(after), replaced({ type: "file", size: 1 << 23 }))).toBeDefined();
  });
});
