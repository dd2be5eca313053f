import { chmodSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chooseOpener } from "../files/opener.js";
import { openFolders } from "./open-folders.js";
import type { Adoption } from "./plan-adoptions.js";
import { adoptedEntry } from "./testing/layer-changes.js";
import { tempDir } from "./testing/temp-dir.js";

const user = 4711;
let base: string;

beforeEach(() => void (base = tempDir("open-folders")));
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A folder with a file, of this mode and user, relative to the base. */
function plant(name: string, mode: number, owner = user): void {
  mkdirSync(join(base, name));
  writeFileSync(join(base, name, "file"), "x");
  chownSync(join(base, name), owner, owner);
  chmodSync(join(base, name), mode);
}

const adopt = (path: string, rest: Partial<Adoption> = {}): Adoption => ({
  path: join(base, path),
  text: path,
  op: "write",
  before: adoptedEntry(join(base, path)),
  bulk: false,
  ...rest,
});
const open = (adoptions: Adoption[], as: number | undefined = user): readonly Adoption[] =>
  openFolders(chooseOpener(), adoptions, as);
const shape = (adoptions: readonly Adoption[]): unknown[] =>
  adoptions.map(({ op, text, before, mode, implied }) =>
    op === "mode" ? [text, before?.mode.toString(8), mode?.toString(8), implied] : text,
  );

it("opens a folder that its owner may not write to, once, and closes it after the changes in it", () => {
  plant("closed", 0o555);
  plant("open", 0o755);
  const adopted = open([adopt("closed/file"), adopt("open/file"), adopt("closed/other", { before: null })]);
  expect(shape(adopted)).toEqual([
    ["closed", "555", "755", true],
    "closed/file",
    "open/file",
    "closed/other",
    ["closed", "755", "555", true],
  ]);
  const { dev, ino, mtimeNs } = statSync(join(base, "closed"), { bigint: true });
  for (const each of [adopted[0], adopted.at(-1)]) {
    expect(each).toMatchObject({ path: join(base, "closed"), before: { kind: "folder", dev, ino, mtimeNs } });
    expect(each?.bulk).toBe(false);
  }
});

it("ends with the mode that the command gave the folder", () => {
  plant("closed", 0o500);
  const own = adopt("closed", { op: "mode", mode: 0o711 });
  expect(shape(open([own, adopt("closed/file")]))).toEqual([
    ["closed", "500", "700", true],
    "closed/file",
    ["closed", "700", "711", undefined],
  ]);
});

it("leaves folders alone that can be written to, are of others, or are only given another mode", () => {
  plant("open", 0o755);
  plant("theirs", 0o555, user + 1);
  plant("mode", 0o555);
  const adoptions = [
    adopt("open/file"),
    adopt("theirs/file"),
    adopt("mode", { op: "mode", mode: 0o500 }),
    adopt("mode/file", { op: "mode", mode: 0o600 }),
    adopt("missing/file", { before: null }),
  ];
  expect(open(adoptions)).toBe(adoptions);
  plant("closed", 0o555);
  const forRoot = [adopt("closed/file")];
  expect(open(forRoot, 0)).toBe(forRoot);
});
