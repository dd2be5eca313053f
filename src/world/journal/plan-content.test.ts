import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NodeImage } from "../../contract/ports/journal.js";
import { openBlobs } from "../../store/blobs.js";
import { identityOf } from "../files/file-stat.js";
import { chooseOpener } from "../files/opener.js";
import type { Content } from "./plan.js";
import {
  byteBudget,
  checkContent,
  checkIdentity,
  emptyDirectory,
  movedImage,
  storeAfter,
  toNode,
} from "./plan-content.js";
import type { SourceDeps } from "./sources.js";
import { createVirtualFiles, type VirtualNode } from "./virtual-files.js";

let base: string;
let deps: SourceDeps;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-content-"));
  mkdirSync(join(base, "blobs"));
  let ids = 0;
  deps = { opener: chooseOpener(), blobs: openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`) };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const bytes = (text: string): Uint8Array => Buffer.from(text);
const look = (name: string): VirtualNode | null => createVirtualFiles(deps.opener).look(join(base, name));
const conflict = (message: RegExp) => ({
  code: "FILE_CONFLICT",
  message: expect.stringMatching(message) as string,
});
const file = (size: number): NodeImage & { type: "file" } => ({ type: "file", hash: "h", size });

describe("what somebody wants to change", () => {
  it("must be the file that they looked at", () => {
    writeFileSync(join(base, "f"), "one");
    const node = look("f");
    const identity = identityOf(statSync(join(base, "f"), { bigint: true }));
    expect(() => checkIdentity("f", node, identity)).not.toThrow();
    expect(() => checkIdentity("f", null, undefined)).not.toThrow();
    const thrown = (act: () => void): unknown => {
      try {
        return act();
      } catch (error) {
        return error;
      }
    };
    expect(thrown(() => checkIdentity("f", null, identity))).toMatchObject(
      conflict(/"?f"? was deleted by someone else/),
    );
    const changed = conflict(/has been changed by someone else/);
    expect(thrown(() => checkIdentity("f", node, "other"))).toMatchObject(changed);
    const { disk: _, ...planned } = node as VirtualNode & { type: "file" };
    expect(thrown(() => checkIdentity("f", planned, identity))).toMatchObject(changed);
  });

  it("must hold what they saw, byte by byte", async () => {
    writeFileSync(join(base, "f"), "one");
    const check = (node: VirtualNode | null, wanted?: Uint8Array) =>
      checkContent(deps, { text: "f", node, wanted });
    const changed = conflict(/has been changed by someone else/);
    await check(look("f"), bytes("one"));
    await check(null);
    await check(look("f"));
    await expect(check(look("f"), bytes("two"))).rejects.toMatchObject(changed);
    await expect(check(look("f"), bytes("one and more"))).rejects.toMatchObject(changed);
    await expect(check(look("f"), bytes("on"))).rejects.toMatchObject(changed);
    await expect(check(look("blobs"), bytes("one"))).rejects.toMatchObject(changed);
    await expect(check(null, bytes("one"))).rejects.toMatchObject(conflict(/was deleted by someone else/));
  });

  it("may have as many bytes as are to be kept, all together", () => {
    const onBytes = byteBudget(10);
    onBytes(4);
    onBytes(6);
    onBytes(0);
    expect(() => onBytes(1)).toThrow(/could not be undone: more than 10 bytes/);
    expect(() => byteBudget(10)(11)).toThrow(expect.objectContaining({ code: "FILE_TOO_LARGE" }) as Error);
    expect(() => byteBudget(0)(0)).not.toThrow();
  });
});

describe("what is kept of the next content", () => {
  const after = (content: Content | null) => storeAfter(deps.blobs, content);
  const data = (size: number): Content => ({
    image: file(size),
    source: { kind: "data", data: Buffer.alloc(size, "x") },
  });

  it("is a small text, for a diff, and nothing that is larger or comes from the disk", async () => {
    const most = 1 << 18;
    for (const size of [0, 3, most]) {
      const kept = { hash: sha("x".repeat(size)), size };
      expect(await after(data(size))).toEqual([kept]);
      expect(deps.blobs.has(kept.hash)).toBe(true);
    }
    expect(await after(data(most + 1))).toEqual([]);
    expect(await after({ image: file(3), source: { kind: "disk", real: join(base, "f") } })).toEqual([]);
    expect(await after({ image: file(3), source: { kind: "pieces", pieces: [bytes("abc")] } })).toEqual([]);
    expect(await after(null)).toEqual([]);
    expect(await after({ image: { type: "symlink", target: "t", size: 1 } })).toEqual([]);
  });

  it("is what preparing it needs: a blob of the journal, the list of a folder and its contents", async () => {
    expect(await after({ image: file(1 << 20), source: { kind: "blob", hash: "b" } })).toEqual([
      { hash: "b", size: 1 << 20 },
    ]);
    const folder = { type: "directory", tree: "t", size: 9 } as const;
    expect(await after({ image: folder })).toEqual([]);
    expect(await after({ image: { ...folder, manifest: "m" } })).toEqual([{ hash: "m", size: 0 }]);
    expect(await after({ image: { ...folder, manifest: "m", pack: "p" } })).toEqual([
      { hash: "m", size: 0 },
      { hash: "p", size: 9 },
    ]);
  });
});

describe("what will be at a path", () => {
  it("is what its step makes, and says which step that is", () => {
    expect(toNode({ image: { type: "symlink", target: "t", size: 1 } }, 3)).toEqual({
      type: "symlink",
      target: "t",
      madeBy: 3,
    });
    const attributes = { mode: 0o640, uid: 1, gid: 2 };
    const tree = { entries: [] };
    const folder = { type: "directory", tree: null, size: 0, ...attributes } as const;
    expect(toNode({ image: folder, tree }, 4)).toEqual({ type: "directory", ...attributes, tree, madeBy: 4 });
    expect(toNode(emptyDirectory, 4)).toEqual({ type: "directory", madeBy: 4 });
    const image = { ...file(3), ...attributes };
    const source = { kind: "data", data: bytes("abc") } as const;
    const made = { type: "file", ...attributes, size: 3, source, madeBy: 0 };
    expect(toNode({ image, source }, 0)).toEqual({ ...made, hash: "h" });
    // The hash of a content of which only a difference is known is not its own yet.
    const previous = {
      image,
      blobs: [],
      check: () => Promise.resolve(),
      hashAfter: () => Promise.resolve("next"),
    };
    expect(toNode({ image, source, previous }, 0)).toEqual(made);
    expect(toNode({ image } as never, 0)).toMatchObject({ source: { kind: "blob", hash: "h" } });
  });
});

describe("the image of what is moved", () => {
  const moved = (name: string) => movedImage(deps, look(name) as Exclude<VirtualNode, { type: "other" }>);

  it("tells a file by its content, and a large one by its time", async () => {
    writeFileSync(join(base, "f"), "abc");
    expect(await moved("f")).toEqual({ type: "file", hash: sha("abc"), size: 3 });
    for (const [size, isHashed] of [
      [1 << 23, true],
      [(1 << 23) + 1, false],
    ] as const) {
      writeFileSync(join(base, "large"), "");
      truncateSync(join(base, "large"), size);
      const modified = String(statSync(join(base, "large"), { bigint: true }).mtimeNs);
      const zeros = createHash("sha256").update(new Uint8Array(size)).digest("hex");
      expect(await moved("large")).toEqual(
        isHashed ? { type: "file", hash: zeros, size } : { type: "file", hash: "", size, modified },
      );
    }
    const known = { type: "file", size: 1 << 24, hash: "h", source: { kind: "blob", hash: "h" } } as const;
    expect(await movedImage(deps, known)).toEqual({ type: "file", hash: "h", size: 1 << 24 });
  });

  it("tells a link by its target and a folder by nothing", async () => {
    symlinkSync("target", join(base, "l"));
    expect(await moved("l")).toEqual({ type: "symlink", target: "target", size: 6 });
    expect(await moved("blobs")).toEqual({ type: "directory", size: 0 });
  });
});
