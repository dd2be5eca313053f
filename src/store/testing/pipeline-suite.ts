import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stages, type PipelineStore } from "../../contract/ports/pipeline.js";
import type { ArtifactStore } from "../../contract/ports/artifacts.js";
import type { Fixture, NewFixture } from "./drivers.js";
import { openBench, type WorkBench } from "./work-fixture.js";

/** What the pipeline and its documents promise, in whatever database. */
export function pipelineSuite(newFixture: NewFixture): void {
  let fixture: Fixture;
  let bench: WorkBench;
  let pipeline: PipelineStore;
  let artifacts: ArtifactStore;

  beforeEach(async () => {
    fixture = await newFixture();
    bench = await openBench(fixture);
    ({ pipeline, artifacts } = bench.stores);
  });

  afterEach(() => fixture.close());

  const states = async () => (await pipeline.status())?.stages.map(({ state }) => state).join(" ");

  describe("the pipeline", () => {
    it("begins with a first iteration when one is needed, not before", async () => {
      expect(await pipeline.peek()).toBeUndefined();
      expect(await pipeline.status()).toBeUndefined();
      expect(await pipeline.iterations()).toEqual([]);
      const made = { id: "iteration-1", name: "iteration-1", createdAt: bench.time, stage: "idea" };
      expect(await pipeline.iteration()).toEqual(made);
      expect(await pipeline.iterations()).toEqual([made]);
      expect(bench.entered).toEqual([{ id: "iteration-1", chosen: false }]);
    });

    it("gives sessions that come at once the same first iteration", async () => {
      const benches = await Promise.all([
        openBench(fixture, "a"),
        openBench(fixture, "b"),
        openBench(fixture, "c"),
      ]);
      const ids = await Promise.all(
        benches.map(async ({ stores }) => (await stores.pipeline.iteration()).id),
      );
      expect(ids).toEqual(["iteration-1", "iteration-1", "iteration-1"]);
    });

    it("goes through the stages, one completed after the other, to the end", async () => {
      for (const [at, stage] of stages.entries()) {
        const next = stages[at + 1] ?? null;
        expect(await pipeline.complete({ summary: `did ${stage}` })).toMatchObject({ from: stage, to: next });
      }
      expect(await states()).toBe("done done done done done done done");
      expect((await pipeline.status())?.stages[1]).toMatchObject({
        summary: "did prd",
        completedAt: bench.time,
      });
      await expect(pipeline.complete()).rejects.toThrow("All stages of iteration-1 are done");
    });

    it("goes back with a reason, and what was done after is stale", async () => {
      for (let n = 0; n < 4; n++) await pipeline.complete();
      expect(await states()).toBe("done done done done active pending pending");
      expect(await pipeline.goto("prd", "the client changed his mind")).toEqual({
        iterationId: "iteration-1",
        from: "coding",
        to: "prd",
        invalidated: ["design", "plan"],
      });
      expect(await states()).toBe("done active stale stale pending pending pending");
      const last = (await pipeline.status())?.history.at(-1);
      expect(last).toMatchObject({
        what: "coding -> prd; stale: design, plan",
        note: "the client changed his mind",
        agent: "tester",
      });
      await pipeline.complete();
      expect(await states()).toBe("done done active stale pending pending pending");
      expect(await pipeline.goto("idea")).toMatchObject({ invalidated: ["prd"] });
      expect(await states()).toBe("active stale stale stale pending pending pending");
    });

    it("skips forward, and comes back from the end", async () => {
      expect(await pipeline.goto("coding")).toMatchObject({ from: "idea", invalidated: [] });
      expect(await states()).toBe("pending pending pending pending active pending pending");
      for (let n = 0; n < 3; n++) await pipeline.complete();
      expect(await pipeline.goto("check")).toMatchObject({ from: null, invalidated: ["delivery"] });
    });

    it("completes only the stage that is meant", async () => {
      await expect(pipeline.complete({ stage: "prd" })).rejects.toThrow("is at idea, not at prd");
      expect(await pipeline.complete({ stage: "idea" })).toMatchObject({ to: "prd" });
    });

    it("keeps iterations apart: a session stays in its own, a new one gets the newest", async () => {
      await pipeline.complete();
      const other = await openBench(fixture, "other");
      expect(await other.stores.pipeline.startIteration("Second")).toMatchObject({
        id: "iteration-2",
        name: "Second",
        stage: "idea",
      });
      expect(other.entered).toEqual([{ id: "iteration-2", chosen: true }]);
      expect(await pipeline.iteration()).toMatchObject({ id: "iteration-1", stage: "prd" });
      expect(await (await openBench(fixture, "third")).stores.pipeline.iteration()).toMatchObject({
        name: "Second",
      });
    });

    it("takes an id that a session brings, if it can name a folder", async () => {
      const named = await openBench(fixture, "a", "sprint-7");
      expect(await named.stores.pipeline.iteration()).toMatchObject({ id: "sprint-7" });
      const taken = await openBench(fixture, "a", "iteration-3");
      expect(await taken.stores.pipeline.iteration()).toMatchObject({ id: "iteration-3" });
      expect(await named.stores.pipeline.startIteration()).toMatchObject({ id: "iteration-4" });
      for (const id of ["../up", "a/b", "", ".", "x".repeat(101), "a\0", "trailing."]) {
        const bad = await openBench(fixture, "a", id);
        await expect(bad.stores.pipeline.iteration(), id).rejects.toMatchObject({ code: "VALUE_INVALID" });
      }
    });

    it("survives a restart", async () => {
      await pipeline.complete({ summary: "s" });
      await bench.state.close();
      const later = await openBench(fixture);
      expect(await later.stores.pipeline.status()).toMatchObject({ iteration: { stage: "prd" } });
    });
  });

  describe("artifacts", () => {
    it("are files with every version kept", async () => {
      expect(await artifacts.save("prd", "# One")).toMatchObject({
        name: "prd",
        iterationId: "iteration-1",
        version: 1,
        path: "artifacts/iteration-1/prd.md",
        size: 5,
      });
      await artifacts.save("prd", "# Zwei €");
      expect(bench.files.get("artifacts/iteration-1/prd.md")).toBe("# Zwei €");
      expect(await artifacts.read({ name: "prd" })).toMatchObject({
        version: 2,
        content: "# Zwei €",
        size: 10,
        changedOutside: false,
      });
      expect(await artifacts.read({ name: "prd", version: 1 })).toMatchObject({ content: "# One" });
      expect(await artifacts.read({ name: "prd", version: 3 })).toBeUndefined();
      expect(await artifacts.read({ name: "design" })).toBeUndefined();
      expect((await artifacts.versions({ name: "prd" })).map(({ version }) => version)).toEqual([2, 1]);
    });

    it("are kept with who wrote them, and in which session and call", async () => {
      await artifacts.save("idea", "mine");
      const written = await fixture.exec("SELECT agent, session_id, call_id FROM artifact_versions");
      expect(written.map((row) => ({ ...(row as object) }))).toEqual([
        { agent: "tester", session_id: "session of tester", call_id: "call-1" },
      ]);
      expect(await artifacts.versions({ name: "idea" })).toMatchObject([
        { agent: "tester", createdAt: bench.time },
      ]);
    });

    it("are listed by iteration, the newest first, in the order of the stages", async () => {
      await artifacts.save("design", "d");
      await artifacts.save("idea", "i");
      await artifacts.save("idea", "ii");
      await pipeline.startIteration();
      await artifacts.save("prd", "p");
      const shown = (await artifacts.list()).map(({ iterationId, name, versions }) => [
        iterationId,
        name,
        versions,
      ]);
      expect(shown).toEqual([
        ["iteration-2", "prd", 1],
        ["iteration-1", "idea", 2],
        ["iteration-1", "design", 1],
      ]);
      expect(await artifacts.list({ iterationId: "iteration-1" })).toHaveLength(2);
      expect(await artifacts.read({ name: "idea", iterationId: "iteration-1" })).toMatchObject({
        content: "ii",
      });
      expect(await artifacts.read({ name: "idea" })).toBeUndefined();
    });

    it("show and keep what a person made of the file", async () => {
      await artifacts.save("idea", "mine");
      bench.files.set("artifacts/iteration-1/idea.md", "corrected by hand");
      expect(await artifacts.read({ name: "idea" })).toMatchObject({
        version: 1,
        content: "corrected by hand",
        changedOutside: true,
      });
      await artifacts.save("idea", "mine again");
      expect((await artifacts.versions({ name: "idea" })).map(({ agent }) => agent)).toEqual([
        "tester",
        "outside",
        "tester",
      ]);
      expect(await artifacts.read({ name: "idea", version: 2 })).toMatchObject({
        content: "corrected by hand",
      });
    });

    it("leave no version behind where the file cannot be written", async () => {
      await artifacts.save("idea", "one");
      bench.failWrite = true;
      await expect(artifacts.save("idea", "two")).rejects.toThrow("disk full");
      expect(await artifacts.read({ name: "idea" })).toMatchObject({ version: 1, content: "one" });
    });
  });
}
