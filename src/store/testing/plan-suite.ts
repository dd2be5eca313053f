import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PlanStore } from "../../contract/ports/plan.js";
import type { Fixture, NewFixture } from "./drivers.js";
import { openBench, type WorkBench } from "./work-fixture.js";

/** What plans promise, in whatever database. */
export function planSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let bench: WorkBench;
  let plan: PlanStore;

  beforeEach(async () => {
    fixture = await newFixture();
    bench = await openBench(fixture);
    ({ plan } = bench.stores);
  });

  afterEach(() => fixture.close());

  const requirement = (id: string) =>
    plan.createRequirement({ id, title: `Title ${id}`, description: "d", priority: "medium" });
  const feature = (id: string, ...requirementIds: string[]) =>
    plan.createFeature({ id, title: `Title ${id}`, description: "d", requirementIds });
  const task = (id: string, ...dependsOn: string[]) =>
    plan.createTask({ id, title: `Title ${id}`, description: "d", dependsOn });
  const readyTasks = async () => (await plan.tasks({ ready: true })).map(({ id }) => id);

  describe("a plan", () => {
    it("answers with whole records", async () => {
      const made = await requirement("REQ-1");
      expect(made).toEqual({
        id: "REQ-1",
        title: "Title REQ-1",
        description: "d",
        priority: "medium",
        iterationId: "iteration-1",
        createdAt: bench.time,
        updatedAt: bench.time,
      });
      expect(await feature("F1", "REQ-1", "REQ-1")).toMatchObject({ requirementIds: ["REQ-1"] });
      expect(await plan.createTask({ id: "T1", title: "t", description: "", featureId: "F1" })).toMatchObject(
        {
          featureId: "F1",
          status: "pending",
          dependsOn: [],
          ready: true,
          waitsFor: [],
        },
      );
      expect(await plan.requirements()).toEqual([made]);
    });

    it("refuses ids that are taken and references to what is not there", async () => {
      await requirement("REQ-1");
      await expect(requirement("REQ-1")).rejects.toMatchObject({ name: "ToolValidationError" });
      await expect(feature("F1", "REQ-2")).rejects.toMatchObject({
        name: "ToolResourceNotFoundError",
        hint: 'Did you mean "REQ-1"?',
      });
      await expect(task("T1", "T0")).rejects.toThrow('Task "T0" was not found');
      await expect(plan.updateTask("T9", {})).rejects.toThrow(/not found/);
      await expect(plan.setTaskStatus("T9", "done")).rejects.toThrow(/not found/);
      await expect(plan.updateRequirement("R", { title: "x" })).rejects.toThrow(/not found/);
      expect([await plan.features(), await plan.tasks()]).toEqual([[], []]);
      await task("T1");
      await expect(plan.updateTask("T1", { featureId: "F7" })).rejects.toThrow('Feature "F7" was not found');
    });

    it("refuses circles and prints them", async () => {
      await task("A");
      await task("B", "A");
      await task("C", "B");
      await expect(plan.updateTask("A", { dependsOn: ["C"] })).rejects.toMatchObject({
        code: "PLAN_CYCLE",
        message: "Tasks would wait for each other in a circle: A -> C -> B -> A.",
      });
      await expect(plan.updateTask("A", { dependsOn: ["A"] })).rejects.toThrow("A -> A");
      await expect(task("D", "D")).rejects.toThrow("D -> D");
      expect(await plan.tasks({ ids: ["A"] })).toMatchObject([{ dependsOn: [] }]);
    });

    it("never holds a circle, whatever is tried", async () => {
      const names = ["A", "B", "C", "D", "E", "F"];
      for (const id of names) await task(id);
      const edge = fc.record({ from: fc.constantFrom(...names), to: fc.subarray(names, { maxLength: 3 }) });
      await fc.assert(
        fc.asyncProperty(fc.array(edge, { maxLength: 10 }), async (edges) => {
          for (const { from, to } of edges) {
            await plan.updateTask(from, { dependsOn: to }).catch((error: { code?: string }) => {
              expect(error.code).toBe("PLAN_CYCLE");
            });
          }
          const needs = new Map((await plan.tasks()).map(({ id, dependsOn }) => [id, dependsOn]));
          const reaches = (id: string, goal: string): boolean =>
            (needs.get(id) ?? []).some((next) => next === goal || reaches(next, goal));
          expect(names.filter((id) => reaches(id, id))).toEqual([]);
        }),
        { numRuns: 15 },
      );
    });

    it("tells what is ready: pending, and all before it done", async () => {
      await task("A");
      await task("B", "A");
      await task("C", "A", "B");
      expect(await readyTasks()).toEqual(["A"]);
      await plan.setTaskStatus("A", "in_progress");
      expect(await readyTasks()).toEqual([]);
      await plan.setTaskStatus("A", "done");
      expect(await readyTasks()).toEqual(["B"]);
      await plan.setTaskStatus("B", "cancelled");
      expect(await readyTasks()).toEqual([]);
      expect(await plan.tasks({ ids: ["C"] })).toMatchObject([{ ready: false, waitsFor: ["B"] }]);
      await plan.updateTask("C", { dependsOn: ["A"] });
      expect(await readyTasks()).toEqual(["C"]);
    });

    it("changes only what is given and writes down who changed what", async () => {
      await requirement("REQ-1");
      await feature("F1", "REQ-1");
      await task("T0");
      await task("T1");
      bench.time += 5;
      expect(await plan.updateRequirement("REQ-1", { priority: "high" })).toMatchObject({
        title: "Title REQ-1",
        priority: "high",
        updatedAt: bench.time,
      });
      expect(await plan.updateFeature("F1", { requirementIds: [], title: "New" })).toMatchObject({
        title: "New",
        description: "d",
        requirementIds: [],
        updatedAt: bench.time,
      });
      expect(await plan.updateTask("T1", { featureId: "F1", dependsOn: ["T0"] })).toMatchObject({
        featureId: "F1",
        dependsOn: ["T0"],
      });
      expect(await plan.updateTask("T1", { featureId: null })).not.toHaveProperty("featureId");
      await plan.setTaskStatus("T1", "blocked", "waits for a key");
      await plan.updateTask("T1", { title: "Title T1" });
      const history = await plan.history("task", "T1");
      expect(history.map(({ what }) => what)).toEqual([
        "created",
        "feature: none -> F1; needs: none -> T0",
        "feature: F1 -> none",
        "status: pending -> blocked",
      ]);
      expect(history.at(-1)).toEqual({
        at: bench.time,
        agent: "tester",
        sessionId: "session of tester",
        callId: "call-1",
        what: "status: pending -> blocked",
        note: "waits for a key",
      });
      expect((await plan.history("requirement", "REQ-1"))[1]?.what).toBe("priority: medium -> high");
      await expect(plan.history("feature", "F9")).rejects.toThrow(/not found/);
    });

    it("filters", async () => {
      await requirement("REQ-1");
      await requirement("REQ-2");
      await plan.updateRequirement("REQ-2", { priority: "low" });
      await feature("F1", "REQ-1");
      await feature("F2", "REQ-2", "REQ-1");
      await bench.stores.pipeline.startIteration();
      await feature("F3", "REQ-2");
      await plan.createTask({ id: "T1", title: "t", description: "", featureId: "F3" });
      await task("T2");
      const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id);
      expect(ids(await plan.requirements({ priority: "low" }))).toEqual(["REQ-2"]);
      expect(ids(await plan.features({ requirementId: "REQ-1" }))).toEqual(["F1", "F2"]);
      expect(ids(await plan.features({ thisIteration: true }))).toEqual(["F3"]);
      expect(ids(await plan.requirements({ thisIteration: true }))).toEqual([]);
      expect(ids(await plan.tasks({ featureId: "F3" }))).toEqual(["T1"]);
      expect(ids(await plan.tasks({ status: "done" }))).toEqual([]);
      expect(ids(await plan.tasks({ ids: ["T2", "nothing"] }))).toEqual(["T2"]);
    });

    it("takes one of two that use the same id at once", async () => {
      const other = (await openBench(fixture, "other")).stores.plan;
      const tries = [plan, other].map((store) =>
        store.createTask({ id: "T1", title: "t", description: "" }).then(
          () => "made",
          (error: { code: string }) => error.code,
        ),
      );
      expect((await Promise.all(tries)).toSorted()).toEqual(["VALUE_INVALID", "made"]);
    });
  });
}
