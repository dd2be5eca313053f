import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ChangeOrigin } from "../../contract/ports/journal.js";
import type { FileMutation } from "../../contract/ports/files.js";
import { createPathRules } from "../files/path-rules.js";
import { chooseOpener } from "../files/opener.js";
import { selectChanges, type UndoSelector } from "./select-changes.js";
import { openWorld, type World } from "./testing/open-world.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let world: World;

beforeEach(async () => {
  base = tempDir("select");
  world = await openWorld(base);
});
afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

const write = (path: string, text: string): FileMutation => ({ op: "write", path, data: Buffer.from(text) });
const by = (callId: string, sessionId = "mine", taskId?: string): ChangeOrigin => ({
  callId,
  sessionId,
  tool: "test",
  ...(taskId !== undefined && { taskId }),
});
const apply = (origin: ChangeOrigin, ...mutations: FileMutation[]): Promise<unknown> =>
  world.journal.apply(mutations, origin);
const select = (what: UndoSelector) => {
  const rules = createPathRules({
    workspace: join(base, "ws"),
    stateDir: join(base, "state"),
    protectedGlobs: [],
  });
  return selectChanges({ rules, opener: chooseOpener() }, world.state.journal, what);
};
/** What is to be undone, in this order. */
const chosen = async (what: UndoSelector): Promise<string[]> =>
  (await select(what)).map(({ step, implied }) => {
    const paths = step.kind === "move" ? [step.from, step.to] : [step.path];
    return (
      paths.map((path) => path.slice(world.root.length + 1)).join(" to ") + (implied ? " (implied)" : "")
    );
  });

describe("what is undone", () => {
  it("of calls and tasks is all of their changes, the newest first, with their places and times", async () => {
    await apply(by("one", "mine", "task"), write("a", "1"), write("b", "1"));
    await apply(by("two", "mine", "task"), write("a", "2"));
    await apply(by("three"), write("c", "3"));
    expect(await chosen({ callId: "one" })).toEqual(["b", "a"]);
    expect(await chosen({ taskId: "task" })).toEqual(["a", "b", "a"]);
    for (const callIds of [
      ["one", "three", "two"],
      ["three", "two", "one"],
    ])
      expect(await chosen({ callIds })).toEqual(["c", "a", "b", "a"]);
    expect(await chosen({ callIds: ["one"] })).toEqual(["b", "a"]);
    expect(await chosen({ callIds: [] })).toEqual([]);
    const [newest, , oldest] = await select({ taskId: "task" });
    const [entry] = await world.state.journal.select({ callId: "two" });
    expect(newest).toMatchObject({ entry: entry?.id, time: entry?.time, seq: 0 });
    expect(oldest?.entry).toBeLessThan(newest?.entry ?? 0);
  });

  it("of a command is also what other calls committed of it, each change once", async () => {
    await apply(by("command"), write("a", "1"));
    await apply({ ...by("decided"), commandCallId: "command" }, write("b", "1"));
    await apply(by("other"), write("c", "1"));
    expect(await chosen({ callId: "command" })).toEqual(["b", "a"]);
    expect(await chosen({ callId: "decided" })).toEqual(["b"]);
    expect(await chosen({ callIds: ["decided", "command", "other"] })).toEqual(["c", "b", "a"]);
    expect(await chosen({ lastOf: "mine" })).toEqual(["c"]);
    await world.journal.undo({ callId: "command" }, by("undo"));
    await expect(select({ callId: "decided" })).rejects.toThrow("already been undone");
    await expect(select({ callId: "command" })).rejects.toThrow("already been undone");
  });

  it("of a path is its last change, with what the same call did to it under other names", async () => {
    await apply(by("one"), write("x/a", "1"), write("b", "1"));
    await apply(
      by("two"),
      { op: "move", from: "x/a", to: "y/new" },
      write("y/new", "2"),
      write("b", "2"),
      write("y/other", "2"),
    );
    const together = ["y/new", "x/a to y/new", "y (implied)"];
    expect(await chosen({ path: "y/new" })).toEqual(together);
    expect(await chosen({ path: "x/a" })).toEqual(together);
    expect(await chosen({ path: "b" })).toEqual(["b"]);
    expect(await chosen({ path: "y/other" })).toEqual(["y/other", "y (implied)"]);
  });

  it("of a link is the last change of it or of its goal", async () => {
    writeFileSync(join(world.root, "goal"), "");
    symlinkSync("goal", join(world.root, "link"));
    await apply(by("one"), write("link", "1"));
    expect(await chosen({ path: "link" })).toEqual(["goal"]);
    await apply(
      by("two"),
      { op: "move", from: "link", to: "other" },
      { op: "move", from: "other", to: "link" },
    );
    expect(await chosen({ path: "link" })).toEqual(["other to link", "link to other"]);
    await apply(by("three"), write("goal", "3"));
    expect(await chosen({ path: "link" })).toEqual(["goal"]);
  });

  it("of a session is its last change that is not undone, however many others made since", async () => {
    await apply(by("one"), write("a", "1"));
    await apply(by("two"), write("b", "2"), write("c", "2"));
    for (let n = 0; n < 60; n++) await apply(by(`o${n}`, "other"), write("d", String(n)));
    expect(await chosen({ lastOf: "mine" })).toEqual(["c", "b"]);
    await world.journal.undo({ callId: "two" }, by("undo", "third"));
    expect(await chosen({ lastOf: "mine" })).toEqual(["a"]);
    await world.journal.undo({ callId: "one" }, by("undo", "third"));
    await expect(select({ lastOf: "mine" })).rejects.toMatchObject({
      code: "RESOURCE_NOT_FOUND",
      message: "Nothing to undo: this session has not changed any file.",
      hint: expect.stringContaining("edit_history") as string,
    });
  });
});

describe("where nothing is to be undone", () => {
  const refusal = (what: UndoSelector): Promise<{ message: string; hint: string }> =>
    select(what).then(
      () => expect.unreachable(),
      (error: { message: string; hint: string }) => error,
    );

  it.each<[UndoSelector, string]>([
    [{ path: "none" }, 'Nothing to undo for the path "none".'],
    [{ callId: "none" }, 'Nothing to undo for the call "none".'],
    [{ taskId: "none" }, 'Nothing to undo for the task "none".'],
  ])("%j is told by name", async (what, message) => {
    const { hint, ...error } = await refusal(what);
    expect({ ...error, message: (await refusal(what)).message }).toMatchObject({ message });
    expect(hint).toContain("edit_history lists what can be undone");
  });

  it("because it was undone already, that is what is told", async () => {
    await apply(by("one", "mine", "task"), write("a", "1"));
    await world.journal.undo({ callId: "one" }, by("undo"));
    await world.journal.undo({ callId: "undo" }, by("redo"));
    await world.journal.undo({ callId: "redo" }, by("last"));
    const told = (kind: string, name: string): string =>
      `Nothing left to undo: the changes of the ${kind} "${name}" have already been undone.`;
    expect((await refusal({ callId: "one" })).message).toBe(told("call", "one"));
    expect((await refusal({ taskId: "task" })).message).toBe(told("task", "task"));
    expect((await refusal({ callId: "one" })).hint).toContain("undo that call to restore");
  });

  it("at a path in a folder that was changed as a whole, its call is named", async () => {
    mkdirSync(join(world.root, "d/deep"), { recursive: true });
    writeFileSync(join(world.root, "d/deep/f"), "");
    await apply(by("made"), write("made/deep/f", ""));
    await apply(by("gone"), { op: "delete", path: "d", recursive: true });
    for (const path of ["d/deep/f", "d/deep"])
      expect((await refusal({ path })).hint).toBe(
        'Its directory was changed as a whole: undo the call "gone".',
      );
    // That a folder came into being on the way is nothing to undo for what is beside it.
    expect((await refusal({ path: "made/other" })).hint).toContain("edit_history");
  });
});
