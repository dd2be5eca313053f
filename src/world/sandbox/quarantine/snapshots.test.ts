import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSnapshotReader, type Snapshot, type SnapshotReader } from "./snapshots.js";

let root: string;
let reader: SnapshotReader;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-snapshots-"));
  reader = createSnapshotReader();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (name: string): Snapshot | undefined => reader.read([join(root, name)]).get(join(root, name));
const put = (name: string, text = "text"): void => writeFileSync(join(root, name), text);

it("holds files, links and what else exists, and nothing that does not", () => {
  put("file");
  chmodSync(join(root, "file"), 0o4751);
  symlinkSync("nowhere", join(root, "link"));
  mkdirSync(join(root, "folder"));
  put("folder/inside", "");
  const names = ["file", "link", "folder", "folder/inside", "missing", "missing/file"];
  const found = reader.read(names.map((name) => join(root, name)));
  expect([...found.keys()].toSorted()).toEqual(
    ["file", "folder", "folder/inside", "link"].map((name) => join(root, name)),
  );
  expect(found.get(join(root, "file"))).toMatchObject({
    content: { kind: "file", bytes: Buffer.from("text") },
    mode: 0o4751,
    changedMs: statSync(join(root, "file")).ctimeMs,
  });
  expect(found.get(join(root, "folder/inside"))?.content).toEqual({ kind: "file", bytes: Buffer.alloc(0) });
  expect(found.get(join(root, "link"))?.content).toEqual({ kind: "link", target: "nowhere" });
  expect(found.get(join(root, "folder"))?.content).toEqual({ kind: "other" });
});

it("has another stamp after every change, and is not read again without one", () => {
  put("file");
  const first = read("file");
  expect(read("file")).toBe(first);
  put("file", "more text");
  const second = read("file");
  expect(second?.stamp).not.toBe(first?.stamp);
  expect(second?.content).toEqual({ kind: "file", bytes: Buffer.from("more text") });
  chmodSync(join(root, "file"), 0o600);
  expect(read("file")?.stamp).not.toBe(second?.stamp);
  rmSync(join(root, "file"));
  expect(read("file")).toBeUndefined();
});

it("has the bytes of a file up to eight megabytes", () => {
  const most = 8 * 1024 * 1024;
  put("file", "");
  for (const [size, kind] of [
    [most, "file"],
    [most + 1, "other"],
  ] as const) {
    truncateSync(join(root, "file"), size);
    expect(read("file")?.content.kind).toBe(kind);
  }
});

it("keeps up to 64 megabytes of contents", () => {
  const size = 8 * 1024 * 1024;
  const names = Array.from({ length: 8 }, (_, at) => `file-${at}`);
  for (const name of names) {
    put(name, "");
    truncateSync(join(root, name), size);
  }
  const paths = names.map((name) => join(root, name));
  const first = reader.read(paths);
  const again = reader.read(paths);
  const isSame = (path: string): boolean => again.get(path) === first.get(path);
  expect(paths.filter(isSame)).toEqual(paths);
  put("one more", "x");
  expect(read("one more")).toBeDefined();
  const [path = ""] = paths;
  expect(reader.read([path]).get(path) === first.get(path)).toBe(false);
});
