import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WorkStores } from "../../contract/ports/store.js";
import { createWork } from "../work-stores.js";
import type { State } from "../open-state.js";
import { systemClock } from "../../contract/system-clock.js";
import type { Fixture, NewFixture } from "./drivers.js";

const limits = {
  maxMemories: 2,
  maxPlanRecords: 2,
  maxSnippets: 2,
  maxSnippetVersions: 2,
  maxArtifactVersions: 2,
  maxIterations: 2,
  maxHistory: 2,
  maxSessions: 2,
  maxApprovals: 2,
  maxValues: 2,
};

/** What grows has a bound, in whatever database. */
export function limitsSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let state: State;
  let stores: WorkStores;

  beforeEach(async () => {
    fixture = await newFixture();
    state = await fixture.open({ limits });
    const files = new Map<string, string>();
    stores = createWork(state.sql, systemClock, state.limits).storesFor({
      actor: { agent: "tester", sessionId: "s", callId: "c" },
      iterationTracker: { id: undefined, enter: () => {} },
      documents: {
        pathOf: (_, name) => name,
        read: async (path) => files.get(path),
        write: async (path, content) => void files.set(path, content),
      },
    });
  });

  afterEach(() => fixture.close());

  const snippet = (name: string, code = "x") =>
    stores.snippets.save({ name, code, description: "d", language: "ts", tags: [] });

  describe("limits", () => {
    it.each<[keyof typeof limits, (n: number) => Promise<unknown>]>([
      ["maxMemories", () => stores.memories.save({ kind: "learning", title: "t", content: "c", tags: [] })],
      ["maxPlanRecords", (n) => stores.plan.createTask({ id: `T${n}`, title: "t", description: "d" })],
      ["maxSnippets", (n) => snippet(`s${n}`)],
      ["maxIterations", () => stores.pipeline.startIteration()],
      ["maxValues", (n) => state.kv("x").set(`k${n}`, n)],
    ])("refuse what is beyond %s, and say which setting it is", async (setting, save) => {
      await save(1);
      await save(2);
      const refused = await save(3).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "QUOTA_SPENT", retryable: false });
      const { message, hint } = refused as { message: string; hint: string };
      expect(`${message} ${hint}`).toContain(`state.${setting}`);
    });

    it("let a full table take changes, and a new row for one that was deleted", async () => {
      const [first] = [await snippet("a"), await snippet("b")];
      await snippet("a", "y");
      await stores.snippets.remove("a");
      expect((await snippet("c")).id).not.toBe(first.id);
    });

    it("drop the oldest versions of a snippet and of a document, and count on", async () => {
      for (const n of [1, 2, 3, 4, 5]) {
        await snippet("s", `code ${n}`);
        await stores.artifacts.save("prd", `text ${n}`);
      }
      expect((await stores.snippets.history("s")).map(({ version }) => version)).toEqual([4, 3]);
      expect(await stores.snippets.load("s")).toMatchObject({ version: 5, code: "code 5" });
      expect((await stores.artifacts.versions({ name: "prd" })).map(({ version }) => version)).toEqual([
        5, 4,
      ]);
    });

    it("drop the oldest changes of a task's history", async () => {
      await stores.plan.createTask({ id: "T", title: "t", description: "d" });
      await stores.plan.setTaskStatus("T", "in_progress");
      await stores.plan.setTaskStatus("T", "done");
      expect((await stores.plan.history("task", "T")).map(({ what }) => what)).toEqual([
        "status: pending -> in_progress",
        "status: in_progress -> done",
      ]);
    });

    it("drop the named sessions that were changed least lately, never the one that is saved", async () => {
      for (const name of ["a", "b", "a", "c"]) {
        await state.sessions.save(name, { env: {}, data: null });
        await new Promise((later) => setTimeout(later, 5));
      }
      expect((await state.sessions.list()).map(({ name }) => name)).toEqual(["a", "c"]);
    });

    it("drop answered requests for consent, the oldest first, and no open one", async () => {
      const open = (id: string): Promise<void> => state.approvals.open({ id } as never);
      for (const id of ["1", "2", "3"]) {
        await open(id);
        await state.approvals.resolve(id, { verdict: "no" });
        await new Promise((later) => setTimeout(later, 5));
      }
      await open("4");
      await open("5");
      expect(await state.approvals.get("1")).toBeUndefined();
      expect(await state.approvals.get("2")).toBeDefined();
      expect(await state.approvals.pending()).toHaveLength(2);
    });
  });
}
