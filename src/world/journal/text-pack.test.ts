import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBlobs } from "../../store/blobs.js";
import { chooseOpener } from "../files/opener.js";
import { asOrdinaryUser, nobody } from "../testing/as-ordinary-user.js";
import { openBelow } from "../testing/open-below.js";
import type { PlannedStep } from "./plan.js";
import type { SourceDeps } from "./sources.js";
import { tempDir } from "./testing/temp-dir.js";
import { createTextPack, readWhole, type PackedFile, type TextPack } from "./text-pack.js";

let base: string;
let deps: SourceDeps;
let pack: TextPack;

beforeEach(() => {
  base = tempDir("pack");
  chmodSync(base, 0o755);
  mkdirSync(join(base, "blobs"));
  let ids = 0;
  deps = { opener: chooseOpener(), blobs: openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`) };
  pack = createTextPack();
});
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

const sha = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");
const plant = (name: string, content: Uint8Array | string): PackedFile => {
  writeFileSync(join(base, name), content);
  const { dev, ino, size } = lstatSync(join(base, name), { bigint: true });
  return { path: join(base, name), dev, ino, size: Number(size) };
};
const add = (file: PackedFile) => pack.add(deps, file);

describe("the contents of what a command changed", () => {
  it("are kept together, each found by its place", async () => {
    const texts = ["one", "", "three", "known"];
    const nodes = [];
    for (const [at, text] of texts.entries()) {
      const file = plant(`f${at}`, text);
      // What was read before is not read again.
      nodes.push(await add(text === "known" ? { ...file, path: "/none", content: Buffer.from(text) } : file));
    }
    expect(nodes).toEqual([
      { hash: sha("one"), offset: 0 },
      { hash: sha(""), offset: 3 },
      { hash: sha("three"), offset: 3 },
      { hash: sha("known"), offset: 8 },
    ]);
    const step = (node: object, kind = "rename") =>
      ({
        change: { step: { kind, node: { size: 5, ...node } }, blobs: ["own"] },
        text: "t",
      }) as never as PlannedStep;
    const planned = [step(nodes[2] ?? {}), step({ hash: "h" }), step({ offset: 0 }, "mode")];
    const [first, ...others] = pack.attach(planned);
    const hash = sha(texts.join(""));
    expect(deps.blobs.has(hash)).toBe(false);
    await pack.store(deps.blobs);
    expect(first).toMatchObject({
      text: "t",
      change: { step: { node: { offset: 3, size: 5, pack: hash } }, blobs: [{ hash, size: 5 }] },
    });
    expect(others).toEqual(planned.slice(1));
    expect(Buffer.from(await deps.blobs.read(hash)).toString()).toBe(texts.join(""));
  });

  it("are no blob where there are none", async () => {
    const planned: PlannedStep[] = [];
    expect(pack.attach(planned)).toBe(planned);
    await pack.store(deps.blobs);
    expect(readdirSync(join(base, "blobs"))).toEqual([]);
  });

  it("are only hashed from 256 kB on, and not even that beyond 8 MB", async () => {
    const most = 1 << 18;
    expect(await add(plant("a", Buffer.alloc(most)))).toEqual({ hash: sha(Buffer.alloc(most)), offset: 0 });
    expect(await add(plant("b", Buffer.alloc(most + 1)))).toEqual({ hash: sha(Buffer.alloc(most + 1)) });
    const large = plant("c", "");
    for (const [size, isHashed] of [
      [1 << 23, true],
      [(1 << 23) + 1, false],
    ] as const) {
      truncateSync(large.path, size);
      expect(await add({ ...large, size })).toEqual(isHashed ? { hash: sha(Buffer.alloc(size)) } : {});
    }
  });

  it("are 200 at most, and 8 MB", async () => {
    for (let n = 0; n < 200; n++) expect(await add(plant("f", `${n % 10}`))).toHaveProperty("offset", n);
    expect(await add(plant("f", "x"))).toEqual({ hash: sha("x") });
    pack = createTextPack();
    const content = randomBytes(1 << 18);
    const file = plant("g", content);
    for (let n = 0; n < 32; n++) expect(await add({ ...file, content })).toHaveProperty("offset", n << 18);
    expect(await add(file)).toEqual({ hash: sha(content) });
    expect(await add(plant("h", "x"))).toEqual({ hash: sha("x") });
    expect(await add(plant("h", ""))).toEqual({ hash: sha(""), offset: 1 << 23 });
  });

  it("are not known where their owner may not read them", async () => {
    const small = plant("small", "secret");
    const large = plant("large", Buffer.alloc((1 << 18) + 1));
    for (const { path } of [small, large]) chmodSync(path, 0o200);
    await asOrdinaryUser(async () => {
      expect(await add(small)).toEqual({});
      expect(await add(large)).toEqual({});
    });
    expect(nobody).toBeGreaterThan(0);
  });

  it("are refused where another file is there by now", async () => {
    const file = plant("f", "text");
    for (const other of [
      { ...file, size: 3 },
      { ...file, ino: file.ino + 1n },
      { ...file, dev: file.dev + 1n },
    ])
      await expect(add(other)).rejects.toMatchObject({ code: "ESTALE" });
    symlinkSync("f", join(base, "link"));
    await expect(add({ ...file, path: join(base, "link") })).rejects.toMatchObject({ code: "ELOOP" });
    await expect(add({ ...file, path: join(base, "none") })).rejects.toMatchObject({ code: "ENOENT" });
  });
});

it("the beginning of an open file is as many bytes as are wanted, or as it has", () => {
  const { path } = plant("f", "0123456789");
  const fd = openSync(path, "r");
  const read = (size: number): string => readWhole(fd, size).toString();
  expect([read(0), read(4), read(10), read(25)]).toEqual(["", "0123", "0123456789", "0123456789"]);
  closeSync(fd);
});
