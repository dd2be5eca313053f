import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  linkSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { randomUUID, createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BlobStore } from "../contract/ports/blobs.js";
import { openBlobs } from "./blobs.js";

let base: string;
let dir: string;
let blobs: BlobStore;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "tenon-blobs-"));
  dir = join(base, "blobs");
  blobs = openBlobs(dir, randomUUID);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function sha256(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

async function putFile(file: string, linkFrom?: string): Promise<string> {
  const fd = openSync(file, "r");
  try {
    const { hash, size } = await blobs.putFile({ fd, ...(linkFrom === undefined ? {} : { linkFrom }) });
    expect(size).toBe(statSync(file).size);
    return hash;
  } finally {
    closeSync(fd);
  }
}

describe("blobs", () => {
  it.each([0, 1, 4096, 3_000_000])("keeps %i bytes once under their hash", async (size) => {
    const data = Buffer.alloc(size, "tenon");
    const ref = await blobs.put(data);
    expect(ref).toEqual({ hash: sha256(data), size });
    await blobs.put(data, { durable: false });
    expect(Buffer.from(await blobs.read(ref.hash)).equals(data)).toBe(true);
    expect(readdirSync(dir)).toHaveLength(1);
    for await (const hash of blobs.list()) expect(hash).toBe(ref.hash);
    blobs.remove(ref.hash);
    expect(readdirSync(dir)).toEqual([]);
    expect(blobs.has(ref.hash)).toBe(false);
    await expect(blobs.read(ref.hash)).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
  });

  it("takes a content in chunks and leaves nothing of one that is aborted", async () => {
    const writer = blobs.create();
    writer.write(Buffer.from("ab"));
    writer.write(Buffer.from("c"));
    expect(await writer.finish()).toEqual({ hash: sha256(Buffer.from("abc")), size: 3 });
    writer.abort();
    const other = blobs.create();
    other.write(Buffer.from("gone"));
    other.abort();
    expect(readdirSync(dir)).toEqual([sha256(Buffer.from("abc"))]);
  });

  it("copies a small file and links a large one", async () => {
    const file = join(base, "file");
    writeFileSync(file, "small");
    const small = await putFile(file, file);
    expect(statSync(join(dir, small)).ino).not.toBe(statSync(file).ino);
    writeFileSync(file, Buffer.alloc(1 << 20, 7));
    const large = await putFile(file, file);
    expect(statSync(join(dir, large)).ino).toBe(statSync(file).ino);
    await blobs.verify(large);
  });

  it("copies a large file that has other names, since those may be written through", async () => {
    const file = join(base, "file");
    writeFileSync(file, Buffer.alloc(1 << 20, 7));
    linkSync(file, join(base, "other"));
    const hash = await putFile(file, file);
    expect(readdirSync(dir).map((name) => statSync(join(dir, name)).ino)).not.toContain(statSync(file).ino);
    await blobs.verify(hash);
  });

  it("compresses a small text, and gives it back from any position", async () => {
    const text = Buffer.from(Array.from({ length: 5000 }, (_, n) => `line ${n}\n`).join(""));
    const { hash } = await blobs.put(text);
    const [name = ""] = readdirSync(dir);
    expect(statSync(join(dir, name)).size).toBeLessThan(text.length / 2);
    const reader = blobs.open(hash);
    const middle = Buffer.alloc(100);
    expect(reader.readInto(middle, text.length - 50)).toBe(50);
    expect(middle.subarray(0, 50).equals(text.subarray(-50))).toBe(true);
    expect(reader.size).toBe(text.length);
    reader.close();
    await blobs.verify(hash);
  });

  it.each([10, 50_000])("writes again what a killed process left half of, %i bytes", async (size) => {
    const data = Buffer.alloc(size, "tenon ");
    const { hash } = await blobs.put(data);
    const [name = ""] = readdirSync(dir);
    truncateSync(join(dir, name), 3);
    await blobs.put(data, { durable: false });
    expect(Buffer.from(await blobs.read(hash)).equals(data)).toBe(true);
  });

  it.each(["rubbish", ""])("never hands out a compressed content that was damaged to %j", async (rubbish) => {
    const text = Buffer.alloc(50_000, "tenon ");
    const { hash } = await blobs.put(text);
    const [name = ""] = readdirSync(dir);
    writeFileSync(join(dir, name), rubbish);
    await expect(blobs.read(hash)).rejects.toMatchObject({ code: "STATE_CORRUPT" });
    await expect(blobs.verify(hash)).rejects.toMatchObject({ code: "STATE_CORRUPT" });
    await blobs.put(text);
    expect(Buffer.from(await blobs.read(hash)).equals(text)).toBe(true);
  });

  it("copies where the path no longer leads to the open file", async () => {
    const file = join(base, "file");
    writeFileSync(file, Buffer.alloc(1 << 20, 7));
    writeFileSync(join(base, "swapped"), Buffer.alloc(1 << 20, 8));
    expect(await putFile(file, join(base, "swapped"))).toBe(sha256(Buffer.alloc(1 << 20, 7)));
    expect(readdirSync(dir)).toHaveLength(1);
  });

  it("never hands out, nor builds on, a content that was damaged", async () => {
    const data = Buffer.from("precious");
    const { hash } = await blobs.put(data);
    writeFileSync(join(dir, hash), "previous");
    await expect(blobs.read(hash)).rejects.toMatchObject({ code: "STATE_CORRUPT" });
    await expect(blobs.verify(hash)).rejects.toMatchObject({ code: "STATE_CORRUPT" });
    await blobs.put(data);
    expect(Buffer.from(await blobs.read(hash)).toString()).toBe("precious");
  });

  it("refuses a name that is no hash", async () => {
    await expect(blobs.read("../state.db")).rejects.toMatchObject({ code: "RESOURCE_NOT_FOUND" });
    expect(() => blobs.remove("../../x")).toThrow(/not found/);
  });

  it("lists hashes and sweeps up what a killed process left half written", async () => {
    const { hash } = await blobs.put(Buffer.from("x"));
    writeFileSync(join(dir, "old.partial"), "");
    writeFileSync(join(dir, "new.partial"), "");
    utimesSync(join(dir, "old.partial"), 1, 1);
    const hashes: string[] = [];
    for await (const each of blobs.list()) hashes.push(each);
    expect(hashes).toEqual([hash]);
    expect(readdirSync(dir).sort()).toEqual([hash, "new.partial"].sort());
  });
});
