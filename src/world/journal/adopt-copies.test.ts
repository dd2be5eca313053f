import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryDir } from "../../../test/setup/memory-dir.js";
import type { Journal } from "./journal.js";
import type { Adoption } from "./plan-adoptions.js";
import { adoptedEntry, adoptedSource, layerAdoptions, plantLayer } from "./testing/layer-changes.js";
import { journalOn, openWorld, origin, type World } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";

/** Two file systems, where the system has a second one. */
const places = [memoryDir(), tmpdir()] as const;
const isTwo = lstatSync(places[0]).dev !== lstatSync(places[1]).dev;

let base: string;
let store: string;
let world: World;
let journal: Journal;
const begun: { readonly prepared?: boolean }[] = [];

beforeEach(async () => {
  if (!isTwo) return;
  [base = "", store = ""] = places.map((place) => mkdtempSync(join(place, "tenon-copies-")));
  world = await openWorld(base);
  const { journal: rows } = world.state;
  const fenced = (fence: number): typeof rows => {
    const own = rows.fenced(fence);
    return { ...own, begin: (entry, options = {}) => (begun.push(options), own.begin(entry, options)) };
  };
  begun.length = 0;
  journal = journalOn(base, world, { keptDir: join(store, "kept"), store: { ...rows, fenced } });
});
afterEach(async () => {
  if (!isTwo) return;
  await world.close();
  for (const dir of [base, store]) rmSync(dir, { recursive: true, force: true });
});

const at = (path: string): string => join(base, "ws", path);
const now = (): Record<string, string> => snapshot(join(base, "ws"));
const adopted = (path: string, op: Adoption["op"], rest: Partial<Adoption> = {}): Adoption => ({
  path: at(path),
  text: path,
  op,
  before: adoptedEntry(at(path)),
  bulk: false,
  ...rest,
});

describe.skipIf(!isTwo)("what a command changed, with a store on another file system", () => {
  it("is copied, undone and done again as if it were renamed, and its layer stays", async () => {
    plantLayer(base);
    const before = now();
    await world.journal.adopt(async () => layerAdoptions(base), origin("renamed"));
    const renamed = now();
    plantLayer(base);
    const layer = snapshot(join(base, "layer"));
    expect(await journal.adopt(async () => layerAdoptions(base), origin("copied"))).toBeGreaterThan(10);
    // Contents are staged, so the change is not prepared from the beginning.
    expect(begun.at(-1)).toEqual({ prepared: false });
    const copied = now();
    // A copy has no second name of the same file, as it has no time of its own.
    expect(copied).toEqual(renamed);
    expect(snapshot(join(base, "layer"))).toEqual(layer);
    expect(lstatSync(at("new-tree/second")).nlink).toBe(1);
    await journal.undo({ callId: "copied" }, origin("undo"));
    expect(now()).toEqual(before);
    await journal.undo({ callId: "undo" }, origin("redo"));
    expect(now()).toEqual(copied);
  });

  it("is shown once for each path, whatever it replaces, with what is implied hidden", async () => {
    plantLayer(base);
    const wanted = layerAdoptions(base).map((each) =>
      each.text === "gone"
        ? { ...each, implied: true }
        : each.text === "link"
          ? { ...each, implied: true }
          : each,
    );
    await journal.adopt(async () => wanted, origin("copied"));
    const shown = (await journal.history()).map(({ path, op }) => `${op} ${path}`);
    expect(shown.toSorted()).toEqual([
      "create new-file",
      "create new-tree",
      "delete gone-tree",
      "mode mode",
      "write changed",
      "write dir-to-file",
      "write file-to-dir",
      "write replaced-tree",
    ]);
  });

  it("can be a folder by itself, with its own mode", async () => {
    mkdirSync(join(base, "layer"));
    writeFileSync(join(base, "layer/file"), "inner");
    const from = adoptedSource(join(base, "layer/file"));
    await journal.adopt(
      async () => [adopted("alone", "create", { mode: 0o750 }), adopted("alone/inner", "create", { from })],
      origin("folder"),
    );
    expect(now()).toMatchObject({ alone: "directory 750", "alone/inner": /^file 644/ });
    await journal.undo({ callId: "folder" }, origin());
    expect(now()).toEqual({});
  });

  it.each([
    ["is gone", (): void => rmSync(join(base, "layer/entry")), "RESOURCE_NOT_FOUND"],
    [
      "is a FIFO",
      (): void => {
        rmSync(join(base, "layer/entry"));
        execFileSync("mkfifo", [join(base, "layer/entry")]);
      },
      "PATH_INVALID",
    ],
  ])("is refused where an entry of the layer %s, and nothing is changed", async (_what, meddle, code) => {
    mkdirSync(join(base, "layer"));
    writeFileSync(join(base, "layer/entry"), "new");
    writeFileSync(at("there"), "before");
    const from = adoptedSource(join(base, "layer/entry"));
    const wanted = [adopted("there", "write", { from }), adopted("made", "create", { from })];
    meddle();
    const before = now();
    await expect(journal.adopt(async () => wanted, origin())).rejects.toMatchObject({ code });
    expect(now()).toEqual(before);
    expect(await world.state.journal.unfinished()).toEqual([]);
  });

  it("reports a path whose mode is to change and that is not there", async () => {
    const mode = adopted("missing", "mode", { mode: 0o700 });
    await expect(journal.adopt(async () => [mode], origin())).rejects.toMatchObject({
      code: "RESOURCE_NOT_FOUND",
      message: expect.stringContaining('"missing"') as string,
    });
  });
});
