import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Adoption } from "./plan-adoptions.js";
import { adoptedEntry, adoptedSource } from "./testing/layer-changes.js";
import { journalOn, openWorld, origin, type World } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let world: World;

beforeEach(async () => {
  base = tempDir("undo-rename");
  mkdirSync(join(base, "layer"));
  world = await openWorld(base);
});
afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, "ws", path);
const now = (): Record<string, string> => snapshot(join(base, "ws"));
const kept = (): string => join(base, "state/kept");
/** Put into the layer of a command what `make` makes, and adopt it. */
async function adopt(
  call: string,
  changes: Readonly<Record<string, ((place: string) => void) | null | number>>,
  rest: Partial<Adoption> = {},
): Promise<void> {
  const adoptions = Object.entries(changes).map(([path, make]): Adoption => {
    const place = join(base, "layer", path.replaceAll("/", "_"));
    if (typeof make === "function") make(place);
    const before = adoptedEntry(at(path));
    const op =
      make === null ? "delete" : typeof make === "number" ? "mode" : before === null ? "create" : "write";
    return {
      path: at(path),
      text: path,
      op,
      before,
      bulk: false,
      ...(typeof make === "function" && { from: adoptedSource(place) }),
      ...(typeof make === "number" && { mode: make }),
      ...rest,
    };
  });
  await world.journal.adopt(async () => adoptions, origin(call));
}
const undo = (call: string, as = `undo-${call}`, force = false) =>
  world.journal.undo({ callId: call }, origin(as), { force });
const text = (content: string) => (place: string) => writeFileSync(place, content);
const folder = (content: string) => (place: string) => {
  mkdirSync(place);
  writeFileSync(join(place, "inner"), content);
};
const link = (target: string) => (place: string) => symlinkSync(target, place);
const conflict = (message: string): object => ({
  code: "FILE_CONFLICT",
  message: `Cannot undo: ${message}. Nothing was changed.`,
});

describe("undoing what came by a rename", () => {
  const kinds: readonly (readonly [string, (place: string) => void])[] = [
    ["file", text("kept")],
    ["folder", folder("kept")],
    ["link", link("kept")],
  ];
  it.each(
    kinds.flatMap(([kind, make]) =>
      [["nothing", null] as const, ...kinds].map((other) => [kind, other[0], make, other[1]] as const),
    ),
  )("of a %s that took the place of %s, there and back, twice", async (_kind, _other, make, previous) => {
    if (previous !== null) previous(at("x"));
    const before = now();
    await adopt("c", { x: make });
    const after = now();
    expect(after).not.toEqual(previous === make ? {} : before);
    await undo("c", "u");
    expect(now()).toEqual(before);
    await undo("u", "r");
    expect(now()).toEqual(after);
    await undo("r");
    expect(now()).toEqual(before);
  });

  it.each<[string, (place: string) => void, (place: string) => void, string]>([
    ["a file", text("new"), text("theirs"), '"x" was changed since'],
    ["a file of the same size", text("new"), text("own"), '"x" was changed since'],
    ["a folder", folder("new"), (x) => writeFileSync(join(x, "inner"), "theirs"), '"x" was changed since'],
    ["a link", link("new"), (x) => (rmSync(x), symlinkSync("theirs", x)), '"x" was changed since'],
    ["a file", text("new"), (x) => rmSync(x), '"x" was deleted since'],
    ["a file", text("new"), (x) => (rmSync(x), mkdirSync(x)), '"x" is a directory now'],
    ["a link", link("new"), (x) => (rmSync(x), writeFileSync(x, "")), '"x" is a file now'],
    ["a folder", folder("new"), (x) => rmSync(x, { recursive: true }), '"x" was deleted since'],
  ])("refuses %s that others changed, unless it is forced", async (_what, make, meddle, message) => {
    await adopt("c", { x: make });
    meddle(at("x"));
    const theirs = now();
    await expect(undo("c")).rejects.toMatchObject(conflict(message));
    expect(now()).toEqual(theirs);
    const isThere = theirs["x"] !== undefined;
    expect(await undo("c", "forced", true)).toEqual([
      expect.objectContaining({ path: "x", ...(isThere && { forced: true }) }),
    ]);
    expect(now()).toEqual({});
    if (!isThere) return;
    await undo("forced");
    expect(now()).toEqual(theirs);
  });

  it("refuses to bring back what went where something is there again", async () => {
    writeFileSync(at("x"), "before");
    await adopt("c", { x: null });
    writeFileSync(at("x"), "theirs");
    await expect(undo("c")).rejects.toMatchObject(conflict('"x" exists again'));
    expect(readFileSync(at("x"), "utf8")).toBe("theirs");
  });

  it("makes folders on the way again, and tells how large the files are and were", async () => {
    mkdirSync(at("deep/er"), { recursive: true });
    writeFileSync(at("deep/er/x"), "before");
    await adopt("c", { "deep/er/x": null });
    rmSync(at("deep"), { recursive: true });
    expect(await undo("c")).toEqual([{ path: "deep/er/x", restoredContentLen: 6, previousContentLen: 0 }]);
    expect(readFileSync(at("deep/er/x"), "utf8")).toBe("before");
  });

  it("reuses the place in the store, so that the first change can be undone again", async () => {
    writeFileSync(at("x"), "before");
    await adopt("c", { x: text("after") });
    const slots = readdirSync(kept()).filter((name) => name !== "bulk");
    expect(slots).toHaveLength(1);
    await undo("c", "u");
    const taken = readdirSync(kept()).filter((name) => name !== "bulk");
    expect(taken).toHaveLength(1);
    await undo("u", "r");
    expect(readdirSync(kept()).filter((name) => name !== "bulk")).toEqual(slots);
  });
});

describe("what was replaced and is no longer kept", () => {
  it.each([
    ["was replaced", text("after")],
    ["was removed", null],
  ])("is an error where it %s, and nothing is changed", async (_what, make) => {
    writeFileSync(at("x"), "before");
    await adopt("c", { x: make });
    const after = now();
    for (const name of readdirSync(kept())) if (name !== "bulk") rmSync(join(kept(), name));
    await expect(undo("c")).rejects.toMatchObject({
      code: "RESOURCE_NOT_FOUND",
      message: 'The previous content of "x" was not found in the journal.',
      hint: "It was dropped by the limits on age and size, or cleared.",
    });
    expect(now()).toEqual(after);
  });

  it.each([
    ["was replaced", text("after")],
    ["was removed", null],
  ])("is left as it is where it %s and can be created again, and the rest is undone", async (_what, make) => {
    writeFileSync(at("x"), "before");
    await adopt("c", { x: make }, { bulk: true });
    const after = now();
    rmSync(join(kept(), "bulk"), { recursive: true });
    mkdirSync(join(kept(), "bulk"));
    await adopt("d", { y: text("y") });
    const notRestored = "its earlier version is no longer kept, so it was left as it is";
    expect((await undo("c")).filter((file) => "notRestored" in file)).toEqual([
      expect.objectContaining({ path: "x", notRestored }),
    ]);
    expect(now()["x"]).toBe(after["x"]);
  });
});

describe("undoing the permissions of a directory", () => {
  beforeEach(async () => {
    mkdirSync(at("d"));
    chmodSync(at("d"), 0o755);
    await adopt("c", { d: 0o700 });
    expect(now()).toEqual({ d: "directory 700" });
  });

  it("restores and sets them again", async () => {
    await undo("c", "u");
    expect(now()).toEqual({ d: "directory 755" });
    await undo("u");
    expect(now()).toEqual({ d: "directory 700" });
  });

  it("leaves those that others have set", async () => {
    chmodSync(at("d"), 0o711);
    await undo("c");
    expect(now()).toEqual({ d: "directory 711" });
  });

  it.each<[string, () => void]>([
    ['"d" was deleted since', () => rmSync(at("d"), { recursive: true })],
    ['"d" is a file now', () => (rmSync(at("d"), { recursive: true }), writeFileSync(at("d"), ""))],
  ])("is refused where %s", async (message, meddle) => {
    meddle();
    const theirs = now();
    await expect(undo("c")).rejects.toMatchObject(conflict(message));
    expect(now()).toEqual(theirs);
  });
});

describe("undoing what git obeys", () => {
  const risky = "[core]\n\tfsmonitor = ./run\n";
  const plain = "[core]\n\tbare = false\n";

  it("takes a git folder away as a whole, and brings a plain one back", async () => {
    const repository = (place: string): void => {
      mkdirSync(join(place, "hooks"), { recursive: true });
      mkdirSync(join(place, "objects/aa"), { recursive: true });
      writeFileSync(join(place, "config"), plain);
      writeFileSync(join(place, "HEAD"), "ref: refs/heads/main\n");
      writeFileSync(join(place, "hooks/pre-commit.sample"), "#!/bin/sh\n");
    };
    await adopt("init", { ".git": repository });
    const after = now();
    await undo("init", "u");
    expect(now()).toEqual({});
    await undo("u");
    expect(now()).toEqual(after);
  });

  it("refuses to bring risky settings back, and restores plain ones", async () => {
    mkdirSync(at(".git"));
    writeFileSync(at(".git/config"), risky);
    await adopt("c", { ".git/config": text(plain) });
    await expect(undo("c")).rejects.toMatchObject({
      code: "PATH_FORBIDDEN",
      message: expect.stringContaining(
        "cannot be restored by an undo, because it sets core.fsmonitor",
      ) as string,
    });
    expect(readFileSync(at(".git/config"), "utf8")).toBe(plain);
    const other = "[core]\n\tbare = true\n";
    await adopt("d", { ".git/config": text(other) });
    await undo("d");
    expect(readFileSync(at(".git/config"), "utf8")).toBe(plain);
  });

  it("does not merge what others changed there", async () => {
    mkdirSync(at(".git"));
    const lines = (first: string, last: string): string =>
      [first, ...Array(20).fill("# x"), last, ""].join("\n");
    writeFileSync(at(".git/config"), lines("# a", "# b"));
    await adopt("c", { ".git/config": text(lines("# by the command", "# b")) });
    writeFileSync(at(".git/config"), lines("# by the command", "# by others"));
    await expect(undo("c")).rejects.toMatchObject({ code: "FILE_CONFLICT" });
    expect(readFileSync(at(".git/config"), "utf8")).toBe(lines("# by the command", "# by others"));
    await undo("c", "forced", true);
    expect(readFileSync(at(".git/config"), "utf8")).toBe(lines("# a", "# b"));
  });
});

describe("an undo in a workspace whose journal has restarted", () => {
  it("finds what was replaced", async () => {
    writeFileSync(at("x"), "before");
    await adopt("c", { x: folder("new") });
    await journalOn(base, world).undo({ callId: "c" }, origin());
    expect(readFileSync(at("x"), "utf8")).toBe("before");
  });
});
