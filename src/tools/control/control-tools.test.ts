import { describe, expect, it } from "vitest";
import { open } from "../../../test/spine-fixture.js";
import { answer, failure, text } from "../testing/work-calls.js";

describe("the control tools", () => {
  it("tell where the pipeline stands before anything began, and begin nothing by it", async () => {
    const tenon = open({ config: { mode: "read-only" } });
    expect(await answer(tenon, "pipeline_status")).toMatchObject({
      iteration: null,
      stage: "idea",
      history: [],
    });
    expect(await tenon.work.pipeline.peek()).toBeUndefined();
    expect((await failure(tenon, "complete_stage"))?.code).toBe("ACCESS_DENIED");
  });

  it("complete a stage, say what comes next and whether its document is missing", async () => {
    const tenon = open();
    expect(await answer(tenon, "complete_stage", { stage_name: "idea" })).toMatchObject({
      success: true,
      completed: "idea",
      stage: "prd",
      documentMissing: true,
    });
    await answer(tenon, "save_prd_doc", { content: "x" });
    expect(await text(tenon, "complete_stage")).toBe("Completed prd, now in design stage.");
    expect((await failure(tenon, "complete_stage", { stage_name: "prd" }))?.code).toBe("VALUE_INVALID");
    for (let n = 0; n < 4; n++) await answer(tenon, "complete_stage");
    expect(await answer(tenon, "complete_stage")).toMatchObject({ completed: "delivery", stage: null });
    expect((await failure(tenon, "complete_stage"))?.hint).toContain("start_iteration");
    expect(await text(tenon, "pipeline_status")).toMatch(/^iteration-1: all stages are done\n\[x\] idea\n/);
  });

  it("go back and show what became stale", async () => {
    const tenon = open();
    for (let n = 0; n < 3; n++) await answer(tenon, "complete_stage", { summary: `part ${n}` });
    expect(await text(tenon, "goto_stage", { stage_name: "idea", reason: "wrong idea" })).toBe(
      "Will resume from idea stage. Stale now: prd, design.",
    );
    expect(await text(tenon, "pipeline_status")).toContain("[!] prd (stale): part 1");
    expect(await text(tenon, "pipeline_status")).toContain("(wrong idea)");
  });

  it("start iterations that a session then works in", async () => {
    const tenon = open();
    expect(await answer(tenon, "start_iteration", { name: "Login" })).toEqual({
      success: true,
      message: "Started iteration-1",
      iterationId: "iteration-1",
      name: "Login",
      stage: "idea",
    });
    expect(await answer(tenon, "start_iteration")).toMatchObject({
      iterationId: "iteration-2",
      name: "iteration-2",
    });
    await answer(tenon, "complete_stage");
    expect(await answer(tenon, "pipeline_status")).toMatchObject({
      iteration: { id: "iteration-2" },
      stage: "prd",
    });
  });
});
