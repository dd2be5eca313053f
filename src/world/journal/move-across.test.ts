import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryDir } from "../../../test/setup/memory-dir.js";
import { createGuard } from "../files/guard.js";
import { createPathRules } from "../files/path-rules.js";
import type { Journal } from "./journal.js";
import { journalOn, openWorld, origin, type World } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";

/** Two file systems, where the system has a second one. */
const places = [memoryDir(), tmpdir()] as const;
const isTwo = lstatSync(places[0]).dev !== lstatSync(places[1]).dev;

let base: string;
let other: string;
let world: World;
let journal: Journal;

beforeEach(async () => {
  [base = "", other = ""] = places.map((place) => mkdtempSync(join(place, "tenon-across-")));
  world = await openWorld(base);
  const rules = createPathRules({
    workspace: join(base, "ws"),
    stateDir: join(base, "state"),
    allowedPaths: [other],
  });
  journal = journalOn(base, { ...world, guard: createGuard({ rules, maxFileSize: 1e6 }) });
});
afterEach(async () => {
  await world.close();
  for (const dir of [base, other]) rmSync(dir, { recursive: true, force: true });
});

const at = (path: string): string => join(base, "ws", path);
const both = () => ({ here: snapshot(at("")), there: snapshot(other) });

describe.skipIf(!isTwo)("a move to another file system", () => {
  it.each<[string, () => void]>([
    ["a file", () => writeFileSync(at("x"), "text", { mode: 0o640 })],
    ["a link", () => symlinkSync("goal", at("x"))],
    ["an empty folder", () => mkdirSync(at("x"))],
    [
      "a folder",
      () => {
        mkdirSync(at("x/deep"), { recursive: true });
        writeFileSync(at("x/deep/f"), "text", { mode: 0o600 });
        symlinkSync("deep/f", at("x/link"));
      },
    ],
  ])("of %s copies and removes it, and can be undone and done again", async (_what, make) => {
    make();
    const before = both();
    const to = join(other, "sub/y");
    await journal.apply([{ op: "move", from: "x", to }], origin("c"));
    const after = both();
    expect(after.here).toEqual({});
    const moved = Object.entries(before.here).map(([path, what]) => [path.replace(/^x/, "sub/y"), what]);
    expect(after.there).toEqual({ sub: after.there["sub"], ...Object.fromEntries(moved) });
    expect(after.there["sub"]).toMatch(/^directory/);
    const history = await journal.history();
    expect(history.filter(({ op }) => op === "move").map(({ path }) => path)).toEqual(["x", to]);
    await journal.undo({ callId: "c" }, origin("u"));
    expect(both()).toEqual(before);
    await journal.undo({ callId: "u" }, origin());
    expect(both()).toEqual(after);
  });

  it("replaces a file there only if it may, and a rename stays one where nothing crosses", async () => {
    writeFileSync(at("x"), "new");
    writeFileSync(join(other, "y"), "old");
    const before = both();
    const move = { op: "move", from: "x", to: join(other, "y") } as const;
    await expect(journal.apply([move], origin())).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    expect(both()).toEqual(before);
    await journal.apply([{ ...move, overwrite: true }], origin("c"));
    expect(both()).toMatchObject({ here: {}, there: { y: /^file 644/ } });
    await journal.undo({ callId: "c" }, origin());
    expect(both()).toEqual(before);
    const { ino } = lstatSync(join(other, "y"));
    await journal.apply([{ op: "move", from: join(other, "y"), to: join(other, "z") }], origin());
    expect(lstatSync(join(other, "z")).ino).toBe(ino);
  });

  it("moves what is only planned by the same change", async () => {
    const to = join(other, "made");
    const data = Buffer.from("text");
    await journal.apply(
      [
        { op: "write", path: "x", data },
        { op: "move", from: "x", to },
      ],
      origin("c"),
    );
    expect(readdirSync(other)).toEqual(["made"]);
    expect(readdirSync(at(""))).toEqual([]);
    await journal.undo({ callId: "c" }, origin());
    expect(both()).toEqual({ here: {}, there: {} });
  });
});
