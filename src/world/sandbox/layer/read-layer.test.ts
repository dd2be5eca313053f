import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { attempt } from "../../../contract/errno.js";
import type { LayerChange } from "./layer-types.js";
import { type LayerRoots, measureLayer, readChanges } from "./read-layer.js";

let root: string;
let workspace: string;
let upper: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tenon-read-layer-"));
  [workspace, upper] = [join(root, "workspace"), join(root, "upper")];
  for (const folder of [workspace, upper]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Make what the kernel leaves in the place of a removed entry. */
function mark(path: string): void {
  execFileSync("mknod", [path, "c", "0", "0"], { stdio: "ignore" });
}

/** Only root may, and not in every container. */
function canMark(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "tenon-mark-"));
  const made = attempt(() => {
    mark(join(folder, "entry"));
    return true;
  });
  rmSync(folder, { recursive: true });
  return made === true;
}

const time = new Date(1_700_000_000_000);

/** A file with a time that does not tell it from others. */
function put(side: string, path: string, text: string): string {
  const file = join(side, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, time, time);
  return file;
}

function link(side: string, path: string, target: string): void {
  symlinkSync(target, join(side, path));
  lutimesSync(join(side, path), time, time);
}

async function read(hidden: Partial<LayerRoots> = {}): Promise<LayerChange[]> {
  const changes: LayerChange[] = [];
  const roots = {
    workspace,
    upper,
    opaque: new Set<string>(),
    removed: new Map<string, Buffer[]>(),
    ...hidden,
  };
  for await (const change of readChanges(roots)) changes.push(change);
  return changes;
}
const kindsOf = (changes: readonly LayerChange[]): Record<string, string> =>
  Object.fromEntries(changes.map(({ path, kind }) => [path, kind]));

describe("the changes of a layer", () => {
  it("are what differs from the workspace, and nothing that is the same", async () => {
    for (const side of [workspace, upper]) {
      put(side, "folder/same", "text");
      link(side, "folder/same-link", "a");
    }
    put(workspace, "folder/content", "one");
    put(upper, "folder/content", "two");
    put(workspace, "folder/longer", "one");
    put(upper, "folder/longer", "three");
    put(workspace, "folder/rights", "one");
    chmodSync(put(upper, "folder/rights", "one"), 0o700);
    put(upper, "folder/new", "");
    put(upper, "new/inside", "");
    put(workspace, "folder/kind", "");
    link(upper, "folder/kind", "a");
    link(workspace, "folder/link", "a");
    link(upper, "folder/link", "b");
    expect(kindsOf(await read())).toEqual({
      "folder/content": "changed",
      "folder/longer": "changed",
      "folder/rights": "changed",
      "folder/new": "created",
      new: "created",
      "folder/kind": "replaced",
      "folder/link": "changed",
    });
  });

  it("tell what was there before and after", async () => {
    put(workspace, "a", "one");
    put(upper, "a", "three");
    put(upper, "b", "");
    const changes = await read();
    const a = changes.find(({ path }) => path === "a");
    expect(a).toMatchObject({ before: { size: 3, kind: "file" }, after: { size: 5, kind: "file" } });
    expect(a).not.toHaveProperty("isLinked");
    expect(changes.find(({ path }) => path === "b")).toMatchObject({ before: undefined, after: { size: 0 } });
  });

  it("are the rights of a folder, and what is in it", async () => {
    for (const side of [workspace, upper]) mkdirSync(join(side, "folder"), { mode: 0o755 });
    chmodSync(join(upper, "folder"), 0o700);
    put(upper, "folder/new", "");
    expect(kindsOf(await read())).toEqual({ folder: "attributes", "folder/new": "created" });
  });

  it("are whole folders that hide those of the workspace, without what is in them", async () => {
    put(workspace, "folder/old", "");
    put(upper, "folder/new", "");
    expect(kindsOf(await read({ opaque: new Set(["folder"]) }))).toEqual({ folder: "replaced" });
  });

  it("are the names that were removed from a folder that was split, if they are still there", async () => {
    put(workspace, "folder/old", "");
    put(upper, "folder/new", "");
    const removed = new Map([["folder", [Buffer.from("old"), Buffer.from("gone")]]]);
    const changes = await read({ removed });
    expect(kindsOf(changes)).toEqual({ "folder/new": "created", "folder/old": "removed" });
    expect(changes.find(({ kind }) => kind === "removed")).toMatchObject({
      before: { kind: "file" },
      after: undefined,
    });
  });

  it("are files that are the same, but have several names in the layer", async () => {
    put(workspace, "a", "text");
    put(workspace, "b", "text");
    linkSync(put(upper, "a", "text"), join(upper, "b"));
    const changes = await read();
    expect(kindsOf(changes)).toEqual({ a: "changed", b: "changed" });
    expect(changes.map(({ isLinked }) => isLinked)).toEqual([true, true]);
  });

  it.runIf(canMark())("are removed entries, which the kernel marks", async () => {
    put(workspace, "old", "");
    for (const name of ["old", "never"]) mark(join(upper, name));
    const changes = await read();
    expect(kindsOf(changes)).toEqual({ old: "removed" });
    expect(changes[0]).toMatchObject({ before: { kind: "file" }, after: undefined });
  });
});

describe("the size of a layer", () => {
  const used = (path: string): number => lstatSync(path).blocks * 512;

  it("counts every entry, and a file with several names once", async () => {
    expect(await measureLayer(upper)).toEqual({ bytes: 0, entries: 0 });
    const one = put(upper, "folder/one", "x".repeat(10_000));
    const two = put(upper, "two", "x".repeat(5000));
    linkSync(one, join(upper, "again"));
    linkSync(one, join(upper, "and-again"));
    const bytes = used(one) + used(two) + used(join(upper, "folder"));
    expect(await measureLayer(upper)).toEqual({ bytes, entries: 5 });
  });

  it("is no longer counted once it is over a limit", async () => {
    for (let at = 0; at < 6; at++) put(upper, `folder/deep/${at}`, "x".repeat(5000));
    const one = used(join(upper, "folder/deep/0"));
    const none = { bytes: Number.POSITIVE_INFINITY, entries: Number.POSITIVE_INFINITY };
    expect((await measureLayer(upper, { ...none, entries: 8 })).entries).toBe(8);
    expect((await measureLayer(upper, { ...none, entries: 4 })).entries).toBe(5);
    expect((await measureLayer(upper, { ...none, entries: 0 })).entries).toBe(1);
    const folders = used(join(upper, "folder")) + used(join(upper, "folder/deep"));
    expect((await measureLayer(upper, { ...none, bytes: folders + one })).bytes).toBe(folders + 2 * one);
    expect((await measureLayer(upper, { ...none, bytes: folders + 6 * one })).entries).toBe(8);
  });
});
