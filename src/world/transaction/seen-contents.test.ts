import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { entryAt } from "../sandbox/layer/entry-state.js";
import type { CommandLayer } from "../sandbox/layer/layer-types.js";
import { createSeenContents } from "./seen-contents.js";
import { openLayerTexts } from "./text-at.js";

it("does not stand for a version that came later", () => {
  const upper = mkdtempSync(join(tmpdir(), "tenon-seen-"));
  const stateOf = (name: string) => entryAt(join(upper, name))?.state;
  const seen = createSeenContents();
  const texts = openLayerTexts({ upper, workspace: upper } as CommandLayer, seen);
  writeFileSync(join(upper, "f"), "one\n");
  expect(texts.after({ path: "f" }, stateOf("f"))).toBe("one\n");
  writeFileSync(join(upper, "f"), "two\n");
  utimesSync(join(upper, "f"), 1, 1); // some systems only count the time in steps of milliseconds
  expect(texts.after({ path: "f" }, stateOf("f"))).toBe("two\n");
  texts.close();
  rmSync(upper, { recursive: true });
});

it("keeps no content that is not all of a file, is long, or exceeds what is kept in all", () => {
  const seen = createSeenContents();
  const version = (ino: bigint, size: number) => ({ dev: 1n, ino, mtimeNs: 5n, size });
  seen.add(version(1n, 4), Buffer.from("abc"));
  expect(seen.find(version(1n, 4))).toBeUndefined();
  const long = Buffer.alloc((1 << 16) + 1);
  seen.add(version(2n, long.length), long);
  expect(seen.find(version(2n, long.length))).toBeUndefined();
  const full = Buffer.alloc(1 << 16);
  for (let ino = 10n; ino < 200n; ino++) seen.add(version(ino, full.length), full);
  expect(seen.find(version(10n, full.length))).toBe(full);
  expect(seen.find(version(199n, full.length))).toBeUndefined();
});

it("stands only for the same inode of the same disk with the same time and size, whichever type that has", () => {
  const seen = createSeenContents();
  const version = { dev: 1n, ino: 2n, mtimeNs: 3n, size: 4n };
  const content = Buffer.from("four");
  seen.add(version, content);
  expect(seen.find({ ...version, size: 4 })).toBe(content);
  const others = [{ dev: 9n }, { ino: 9n }, { mtimeNs: 9n }, { size: 9n }];
  for (const other of others) expect(seen.find({ ...version, ...other })).toBeUndefined();
});
