import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JournalStep, MoveStep, NodeImage, SetStep } from "../../contract/ports/journal.js";
import { openBlobs } from "../../store/blobs.js";
import { createGuard } from "../files/guard.js";
import { chooseOpener } from "../files/opener.js";
import { createPathRules } from "../files/path-rules.js";
import { openBelow } from "../testing/open-below.js";
import { directoriesOfAll } from "./apply-step.js";
import { inodeOf } from "./open-path.js";
import { isComplete, removeTemps, rollBackSteps, type RollBackDeps } from "./roll-back.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let deps: RollBackDeps;

beforeEach(() => {
  base = tempDir("roll-back");
  for (const name of ["ws", "blobs"]) mkdirSync(join(base, name));
  let ids = 0;
  const blobs = openBlobs(join(base, "blobs"), () => `id${(ids += 1)}`);
  const rules = createPathRules({ workspace: join(base, "ws") });
  deps = { opener: chooseOpener(), blobs, guard: createGuard({ rules, maxFileSize: 1e6 }) };
});
afterEach(() => {
  expect(openBelow(base)).toEqual([]);
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, "ws", path);
const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const put = (path: string, text: string): void => writeFileSync(at(path), text, { mode: 0o644 });
/** What is at the top of the workspace: the text of a file, the target of a link, or "/" for a folder. */
const now = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(snapshot(at(""))).map(([path, what]) => [
      path,
      what.startsWith("directory")
        ? "/"
        : what.startsWith("link")
          ? what.slice(5)
          : Buffer.from(what.split(" ")[2] ?? "", "base64").toString(),
    ]),
  );
const file = (text: string, mode?: number): NodeImage => ({
  type: "file",
  hash: sha(text),
  size: text.length,
  ...(mode !== undefined && { mode }),
});
const emptyFolder: NodeImage = { type: "directory", tree: null, size: 0 };
const set = (before: NodeImage | null, after: NodeImage | null, path = "x"): SetStep => ({
  kind: "set",
  path: at(path),
  before,
  after,
  temp: at(`.${path}.tmp`),
});
const move = (more: Partial<MoveStep> = {}): MoveStep => ({
  kind: "move",
  from: at("from"),
  to: at("to"),
  inode: null,
  moved: { type: "file", hash: sha("moved"), size: 5 },
  overwritten: null,
  temp: at(".to.tmp"),
  ...more,
});
const inodeAt = (path: string): string => inodeOf(lstatSync(at(path), { bigint: true }));

async function rollBack(...steps: JournalStep[]): Promise<{ problems: readonly string[]; left: number[] }> {
  const left: number[] = [];
  const onRetreat = async (standing: number): Promise<void> => void left.push(standing);
  const problems = await rollBackSteps(deps, { steps, standing: steps.length, onRetreat });
  return { problems, left };
}

describe("a content that was set", () => {
  const taken = "x was changed by someone else";
  /** What was before and after, what lies there, and what is there once it is taken back. */
  it.each<[string, NodeImage | null, NodeImage | null, () => void, Record<string, string>, string?]>([
    [
      "is only prepared",
      file("old"),
      file("new"),
      () => (put("x", "old"), put(".x.tmp", "new")),
      { x: "old" },
    ],
    ["took the place of another", file("old"), file("new"), () => put("x", "new"), { x: "old" }],
    ["was changed since", file("old"), file("new"), () => put("x", "theirs"), { x: "theirs" }, taken],
    ["was removed since", file("old"), file("new"), () => {}, { x: "old" }],
    ["is as before by now", file("old"), file("new"), () => put("x", "old"), { x: "old" }],
    ["was made", null, file("new"), () => put("x", "new"), {}],
    ["was linked only", null, file("new"), () => (put(".x.tmp", "new"), linkSync(at(".x.tmp"), at("x"))), {}],
    ["was made and changed", null, file("new"), () => put("x", "theirs"), { x: "theirs" }, taken],
    ["was made and is gone", null, file("new"), () => {}, {}],
    ["is a folder that was made", null, emptyFolder, () => mkdirSync(at("x")), {}],
    [
      "is a folder that others use",
      null,
      emptyFolder,
      () => (mkdirSync(at("x")), put("x/theirs", "1")),
      { x: "/", "x/theirs": "1" },
    ],
    ["was removed", file("old"), null, () => put(".x.tmp", "old"), { x: "old" }],
    ["is not removed yet", file("old"), null, () => put("x", "old"), { x: "old" }],
    [
      "was removed, and something else is there",
      file("old"),
      null,
      () => (put(".x.tmp", "old"), put("x", "theirs")),
      { x: "theirs", ".x.tmp": "old" },
      "x was taken by something else",
    ],
    [
      "is a link now",
      file("old"),
      { type: "symlink", target: "t", size: 1 },
      () => symlinkSync("t", at("x")),
      { x: "old" },
    ],
    ["was a link", { type: "symlink", target: "t", size: 1 }, file("new"), () => put("x", "new"), { x: "t" }],
  ])("and %s", async (_what, before, after, lay, expected, problem) => {
    await deps.blobs.put(Buffer.from("old"));
    lay();
    // An attempt that was interrupted has left this.
    put(".x.tmp.back", "half");
    const { problems, left } = await rollBack(set(before, after));
    expect(problems).toEqual(problem === undefined ? [] : [`${base}/ws/${problem}`]);
    expect(left).toEqual(problem === undefined ? [0] : []);
    expect(now()).toEqual(problem === undefined ? expected : { ".x.tmp.back": "half", ...expected });
    // It can be repeated.
    expect((await rollBack(set(before, after))).problems).toHaveLength(problem === undefined ? 0 : 1);
    expect(now()).toEqual(problem === undefined ? expected : { ".x.tmp.back": "half", ...expected });
  });

  it("gets its former mode back, although its content is the same", async () => {
    await deps.blobs.put(Buffer.from("same"));
    put("x", "same");
    chmodSync(at("x"), 0o600);
    await rollBack(set(file("same", 0o640), file("same", 0o600)));
    expect(lstatSync(at("x")).mode & 0o7777).toBe(0o640);
  });

  it("comes out of its difference to what is there, and not at all if that is gone", async () => {
    const delta = { prefix: 4, suffix: 0, middle: { bytes: Buffer.from("old").toString("base64") } };
    const before: NodeImage = { type: "file", hash: "", size: 7, delta };
    const step = set(before, file("the new"));
    put("x", "the new");
    expect((await rollBack(step)).problems).toEqual([]);
    expect(now()).toEqual({ x: "the old" });
    rmSync(at("x"));
    expect((await rollBack(step)).problems).toEqual([`${at("x")} was deleted by someone else`]);
  });

  it("names the fault if its former content is gone, and keeps what is there", async () => {
    put("x", "new");
    const { problems, left } = await rollBack(set(file("old"), file("new")));
    expect(problems).toHaveLength(1);
    expect(left).toEqual([]);
    expect(now()["x"]).toBe("new");
  });
});

describe("a move", () => {
  const overwritten = file("old");
  it.each<[string, Partial<MoveStep>, () => string, Record<string, string>, string?]>([
    ["is not made yet", {}, () => (put("from", "moved"), inodeAt("from")), { from: "moved" }],
    ["was made", {}, () => (put("to", "moved"), inodeAt("to")), { from: "moved" }],
    [
      "was linked only",
      {},
      () => (put("from", "moved"), linkSync(at("from"), at("to")), inodeAt("to")),
      { from: "moved" },
    ],
    [
      "was made, and its old name is taken",
      {},
      () => (put("to", "moved"), put("from", "theirs"), inodeAt("to")),
      { from: "theirs", to: "moved" },
      "from was taken by something else",
    ],
    ["was made, and its goal replaced", {}, () => (put("to", "theirs"), "1:1"), { to: "theirs" }],
    [
      "put aside what it replaces",
      { overwritten },
      () => (put("from", "moved"), put(".to.tmp", "old"), inodeAt("from")),
      { from: "moved", to: "old" },
    ],
    [
      "replaced something",
      { overwritten },
      () => (put("to", "moved"), put(".to.tmp", "old"), inodeAt("to")),
      { from: "moved", to: "old" },
    ],
    [
      "did not put aside yet what it replaces",
      { overwritten },
      () => (put("from", "moved"), put("to", "old"), inodeAt("to")),
      { from: "moved", to: "old" },
    ],
    ["moved a folder", {}, () => (mkdirSync(at("to")), inodeAt("to")), { from: "/" }],
  ])("that %s", async (_what, more, lay, expected, problem) => {
    const step = move({ ...more, inode: lay() });
    const { problems, left } = await rollBack(step);
    expect(problems).toEqual(problem === undefined ? [] : [at(problem)]);
    expect(left).toEqual(problem === undefined ? [0] : []);
    expect(now()).toEqual(expected);
    await rollBack(step);
    expect(now()).toEqual(expected);
  });

  it("is taken back after a later step that replaced what it had moved", async () => {
    await deps.blobs.put(Buffer.from("moved"));
    put("from", "moved");
    const step = move({ inode: inodeAt("from") });
    const edit = set(file("moved"), file("edited"), "to");
    renameSync(at("from"), at("to"));
    rmSync(at("to"));
    put("to", "edited");
    expect(await rollBack(step, edit)).toEqual({ problems: [], left: [1, 0] });
    expect(now()).toEqual({ from: "moved" });
  });
});

describe("several steps", () => {
  it("are all tried from the last to the first, but none counts as taken back after a fault", async () => {
    for (const name of ["a", "c", "d"]) put(name, "new");
    put("b", "theirs");
    const steps = ["a", "b", "c", "d"].map((path) => set(null, file("new"), path));
    put(".d.tmp.back", "temp");
    const { problems, left } = await rollBack(...steps);
    expect(problems).toEqual([`${at("b")} was changed by someone else`]);
    expect(left).toEqual([3, 2]);
    // Prepared files stay for another attempt.
    expect(now()).toEqual({ b: "theirs", ".d.tmp.back": "temp" });
  });

  it("that stand no more are not looked at", async () => {
    for (const name of ["a", "b"]) put(name, "new");
    const steps = ["a", "b"].map((path) => set(null, file("new"), path));
    const left: number[] = [];
    const onRetreat = async (standing: number): Promise<void> => void left.push(standing);
    await rollBackSteps(deps, { steps, standing: 1, onRetreat });
    expect(now()).toEqual({ b: "new" });
    expect(left).toEqual([0]);
  });

  it("leave nothing that they had prepared, files, links or folders", async () => {
    put(".x.tmp", "1");
    symlinkSync("t", at(".x.tmp.back"));
    mkdirSync(at(".to.tmp/deep"), { recursive: true });
    put(".to.tmp/deep/f", "1");
    for (const step of [set(null, null), move()]) await removeTemps(deps, step);
    expect(now()).toEqual({});
    const rename = { kind: "rename", path: at("x"), stored: at("s"), into: "store", inode: "1:1" } as const;
    put("x", "1");
    await removeTemps(deps, { ...rename, node: { type: "file", size: 1 } });
    await removeTemps(deps, { kind: "mode", path: at("x"), before: 1, after: 2 });
    expect(now()).toEqual({ x: "1" });
  });

  it.each<[string, boolean, () => void, (() => JournalStep)?]>([
    ["all are", true, () => (put("x", "2"), put("y", "2"))],
    ["one has not its last content", false, () => (put("x", "1"), put("y", "2"))],
    ["one is missing", false, () => put("x", "2")],
    ["one is still prepared", false, () => (put("x", "2"), put("y", "2"), put(".y.tmp", "2"))],
    ["one is a removal", false, () => (put("x", "2"), put("y", "2")), () => set(file("1"), null, "z")],
    ["one is a move", false, () => (put("x", "2"), put("y", "2")), move],
  ])("are complete where the disk shows it: %s", async (_what, complete, lay, more) => {
    lay();
    const steps: JournalStep[] = [set(null, file("1")), set(null, file("2"), "y"), set(file("1"), file("2"))];
    if (more !== undefined) steps.push(more());
    expect(await isComplete(deps, steps)).toBe(complete);
  });

  it("change these folders", () => {
    const rename = { kind: "rename", path: "/ws/a/x", stored: "/kept/1", inode: null } as const;
    const node = { type: "file", size: 0 } as const;
    const steps: JournalStep[] = [
      { kind: "set", path: "/ws/b/x", before: null, after: null, temp: "/ws/t" },
      { ...move(), from: "/ws/c/x", to: "/ws/d/x", temp: "/ws/e/t" },
      { ...rename, into: "workspace", node },
      { ...rename, into: "store", node },
      { kind: "mode", path: "/ws/f/x", before: 1, after: 2 },
    ];
    expect([...directoriesOfAll(steps)]).toEqual(
      ["b", "", "c", "d", "e"]
        .map((name) => join("/ws", name).replace(/\/$/, ""))
        .concat("/kept", "/ws/a", "/ws/a", "/kept", "/ws/f"),
    );
  });
});
