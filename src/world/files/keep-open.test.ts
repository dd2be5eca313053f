import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepOpen, type KeptOpener } from "./keep-open.js";
import { chooseOpener } from "./opener.js";
import { toPathText } from "./raw-path.js";

let base: string;
let opener: KeptOpener;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "tenon-keep-open-")));
  for (const name of ["own", "pinned", "other"]) {
    mkdirSync(join(base, name, "folder"), { recursive: true });
    writeFileSync(join(base, name, "folder/file"), "first");
  }
  opener = keepOpen(chooseOpener(), { pinned: join(base, "pinned"), own: join(base, "own") });
});
afterEach(() => {
  opener.close();
  rmSync(base, { recursive: true, force: true });
});

const read = (name: string): string =>
  readFileSync(opener.open(join(base, name, "folder")).at("file"), "utf8");

function replaceFolder(name: string): void {
  renameSync(join(base, name, "folder"), join(base, name, "moved"));
  mkdirSync(join(base, name, "folder"));
  writeFileSync(join(base, name, "folder/file"), "second");
}

it.each([
  ["other", "second"],
  ["pinned", "first"],
  ["own", "second"],
])("reads in a directory of %s that was replaced: %s", (name, content) => {
  expect(read(name)).toBe("first");
  replaceFolder(name);
  expect(read(name)).toBe(content);
});

it("reaches what a name was in when it was opened, except in its own directory", () => {
  const [other, pinned, own] = ["other", "pinned", "own"].map((name) =>
    opener.open(join(base, name, "folder")),
  );
  for (const name of ["other", "pinned", "own"]) replaceFolder(name);
  expect([other, pinned, own].map((handle) => readFileSync(handle?.at("file") ?? "", "utf8"))).toEqual([
    "first",
    "first",
    "second",
  ]);
});

it("names an entry in its own directory by its path, whatever its bytes", () => {
  const folder = join(base, "own/folder");
  const handle = opener.open(folder);
  expect(handle.at("file")).toBe(join(folder, "file"));
  const raw = Buffer.from("\xff\xfe", "latin1");
  for (const name of [raw, toPathText(raw)])
    expect(Buffer.from(handle.at(name as string))).toEqual(Buffer.concat([Buffer.from(`${folder}/`), raw]));
});

it("uses a descriptor for a directory whose path is too long for a system call", () => {
  let folder = join(base, "own");
  while (folder.length < 1000) folder = join(folder, "x".repeat(200));
  mkdirSync(folder, { recursive: true });
  const handle = opener.open(folder);
  expect(handle.at("file")).toBe(`${handle.self}/file`);
});

it("leaves its directories open until it is closed itself", () => {
  const handle = opener.open(join(base, "own/folder"));
  handle.close();
  expect(handle.isInPlace()).toBe(true);
  opener.close();
  expect(handle.isInPlace()).toBe(false);
});
