import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileMutation } from "../../contract/ports/files.js";
import type { Journal, RecoveryReport } from "./journal.js";
import { dieAt } from "./testing/dying-world.js";
import { layerAdoptions, plantLayer } from "./testing/layer-changes.js";
import { journalOn, openWorld, origin, type World } from "./testing/open-world.js";
import { snapshot } from "./testing/snapshot.js";
import { tempDir } from "./testing/temp-dir.js";

let base: string;
let world: World;
beforeEach(async () => {
  base = tempDir("recover");
  world = await openWorld(base);
});
afterEach(async () => {
  await world.close();
  rmSync(base, { recursive: true, force: true });
});

const at = (path: string): string => join(base, "ws", path);
const now = (): Record<string, string> => snapshot(join(base, "ws"));
const dies = (point: number, act: (journal: Journal) => Promise<unknown>): Promise<string | undefined> =>
  dieAt([base, world], point, act);
const recover = (): Promise<RecoveryReport> => journalOn(base, world).recover();

/** Every kind of step, on what hangs together. */
const changes: readonly FileMutation[] = [
  { op: "write", path: "edited", data: Buffer.from("after") },
  { op: "write", path: "made/deep/new", data: Buffer.from("new") },
  { op: "delete", path: "gone" },
  { op: "move", from: "old-name", to: "made/new-name" },
  { op: "write", path: "made/new-name", data: Buffer.from("moved and edited") },
  { op: "move", from: "replacing", to: "replaced", overwrite: true },
  { op: "delete", path: "tree", recursive: true },
  { op: "mkdir", path: "tree" },
  { op: "move", from: "folder", to: "made/folder" },
];

function plant(): void {
  rmSync(at(""), { recursive: true, force: true });
  mkdirSync(at("tree/sub"), { recursive: true });
  mkdirSync(at("folder"));
  for (const name of ["edited", "gone", "old-name", "replacing", "replaced"])
    writeFileSync(at(name), `${name}: before`, { mode: 0o640 });
  for (const name of ["tree/a", "tree/sub/b", "folder/in"]) writeFileSync(at(name), name);
  symlinkSync("a", at("tree/link"));
}

const change = (journal: Journal, call: string): Promise<unknown> => journal.apply(changes, origin(call));
const adopt = (journal: Journal, call: string): Promise<unknown> =>
  journal.adopt(async () => layerAdoptions(base), origin(call));
const undoing = (begin: typeof change) => ({
  begin: begin === change ? plant : () => plantLayer(base),
  first: begin,
  act: (journal: Journal, call: string) => journal.undo({ callId: `${call}-first` }, origin(call)),
});

interface Scene {
  readonly begin: () => void;
  readonly first?: typeof change;
  readonly act: typeof change;
  /** Each so-manieth failpoint is tried. @default each */
  readonly stride?: number;
}

const scenes: readonly (readonly [string, Scene])[] = [
  ["a change", { begin: plant, act: change }],
  ["an undo", { ...undoing(change), stride: 3 }],
  ["what a command changed", { begin: () => plantLayer(base), act: adopt }],
  ["the undo of a command", undoing(adopt)],
];

/** What the history says of a call and the one before it. */
const recorded = async (call: string): Promise<unknown> =>
  (await world.journal.history({ limit: 100 }))
    .filter(({ callId }) => callId === call || callId === `${call}-first`)
    .map(({ callId, path, op, undone }) => [callId.replace(call, ""), path, op, undone].join(" "));

describe("a process that is killed at any point", () => {
  it.each(scenes)("of %s leaves what the next one completes or takes back", async (_what, scene) => {
    const begin = async (call: string): Promise<void> => {
      scene.begin();
      await scene.first?.(world.journal, `${call}-first`);
    };
    await begin("whole");
    const [before, rowsBefore] = [now(), await recorded("whole")];
    await scene.act(world.journal, "whole");
    const [after, rowsAfter] = [now(), await recorded("whole")];
    const outcomes: string[] = [];
    for (let point = 1; ; point += scene.stride ?? 1) {
      const call = `point-${point}.`;
      await begin(call);
      const died = await dies(point, (journal) => scene.act(journal, call));
      if (died === undefined) break;
      const report = await recover();
      const isAfter = died === "done" || outcomes.at(-1) === "completed" || report.completed === 1;
      const where = `${point}: ${died}`;
      // Before the intent is written and after the end, there is nothing to recover.
      const recovered = died === "planned" || died === "done" ? 0 : 1;
      expect([where, report.completed + report.rolledBack, report.failed]).toEqual([where, recovered, []]);
      expect([where, now()]).toEqual([where, isAfter ? after : before]);
      expect([where, await recorded(call)]).toEqual([where, isAfter ? rowsAfter : rowsBefore]);
      outcomes.push(isAfter ? "completed" : "rolled back");
    }
    expect(outcomes).toContain("completed");
    expect(outcomes).toContain("rolled back");
  });

  it("of a recovery leaves what the next recovery takes back", async () => {
    const some = changes.filter(({ op }) => op !== "write");
    const act = (journal: Journal): Promise<unknown> => journal.apply(some, origin("call"));
    plant();
    const before = now();
    let last = 0;
    for (let point = 1; last === 0; point += 1) {
      plant();
      if ((await dies(point, act)) === "taken") last = point;
      await recover();
    }
    const points: string[] = [];
    for (let point = 1; ; point += 1) {
      plant();
      await dies(last, act);
      const died = await dies(point, (journal) => journal.recover());
      if (died === undefined) break;
      points.push(died);
      expect([died, await recover()]).toEqual([died, { completed: 0, rolledBack: 1, failed: [] }]);
      expect([died, now()]).toEqual([died, before]);
    }
    // Each step is taken back, and that is written down.
    const count = (name: string): number => points.filter((each) => each === name).length;
    expect(count("taken back")).toBeGreaterThanOrEqual(some.length);
    expect(count("retreated")).toBe(count("taken back"));
    expect(count("rolled back")).toBe(1);
    expect(now()).toEqual(before);
  });
});

describe("a change that can be neither completed nor taken back", () => {
  it.each([
    ["after", { completed: 1, rolledBack: 0, failed: [] }],
    ["before", { completed: 0, rolledBack: 1, failed: [] }],
  ])(
    "is left alone by the next changes, named by each recovery, and over once its files are as they were %s",
    async (content, over) => {
      const paths = ["edited", "gone"];
      const write = (path: string, data: string): FileMutation => ({
        op: "write",
        path,
        data: Buffer.from(data),
      });
      for (let [point, died] = [1, "" as string | undefined]; died !== "taken"; point += 1) {
        for (const path of paths) writeFileSync(at(path), "before");
        const both = paths.map((path) => write(path, "after"));
        died = await dies(point, (journal) => journal.apply(both, origin()));
        if (died !== "taken") await recover();
      }
      for (const path of paths) writeFileSync(at(path), "theirs");
      const warnings: string[] = [];
      const restarted = (): Journal => journalOn(base, world, { onWarning: (text) => warnings.push(text) });
      const problems = paths.toReversed().map((path) => `${at(path)} was changed by someone else`);
      const warning = `A change remains incomplete: ${problems.join("; ")}`;
      const [{ id } = { id: 0 }] = await world.state.journal.unfinished();
      await restarted().apply([write("other", "x")], origin());
      expect(warnings).toEqual([warning]);
      expect(await world.state.journal.unfinished()).toMatchObject([{ id, phase: "failed" }]);

      await restarted().apply([write("another", "x")], origin());
      expect(warnings).toHaveLength(1);
      expect(await restarted().recover()).toEqual({
        completed: 0,
        rolledBack: 0,
        failed: [{ id, problems }],
      });
      expect(warnings).toEqual([warning, warning]);
      for (const path of paths) writeFileSync(at(path), content);
      expect(await restarted().recover()).toEqual(over);
      expect(paths.map((path) => readFileSync(at(path), "utf8"))).toEqual([content, content]);
      expect(await world.state.journal.unfinished()).toEqual([]);
    },
  );
});
