import { describe, expect, it } from "vitest";
import { createFixture, open } from "../../../test/spine-fixture.js";
import { answer, failure, text } from "../testing/work-calls.js";

const description = "d";

describe("the planning tools", () => {
  it("answer with whole records and keep them over a restart", async () => {
    const fixture = createFixture();
    const first = open({}, fixture);
    const requirement = await answer(first, "create_requirement", {
      id: "REQ-001",
      title: "登录",
      description,
      priority: "high",
    });
    expect(requirement).toEqual({
      id: "REQ-001",
      title: "登录",
      description,
      priority: "high",
      iterationId: "iteration-1",
      createdAt: expect.any(Number) as number,
      updatedAt: expect.any(Number) as number,
    });
    await answer(first, "add_feature", { id: "F", title: "f", description, requirement_ids: ["REQ-001"] });
    await answer(first, "create_task", { id: "T1", title: "t", description, feature_id: "F" });
    const task = await answer(first, "create_task", {
      id: "T2",
      title: "t",
      description,
      depends_on: ["T1"],
    });
    expect(task).toMatchObject({ status: "pending", dependsOn: ["T1"], ready: false, waitsFor: ["T1"] });
    await first.close();
    const later = open({}, fixture);
    expect(await answer(later, "get_requirements")).toEqual({ count: 1, requirements: [requirement] });
    expect(await answer(later, "get_features", { requirement_id: "REQ-001" })).toMatchObject({ count: 1 });
    expect(await answer(later, "get_tasks", { ids: ["T2"] })).toMatchObject({ tasks: [task], ready: [] });
    expect(await answer(later, "get_tasks", { ready: true })).toMatchObject({ count: 1, ready: ["T1"] });
    expect(await answer(later, "update_task_status", { id: "T1", status: "done" })).toMatchObject({
      status: "done",
      readyNow: ["T2"],
    });
    expect(await answer(later, "get_tasks", { status: "done" })).toMatchObject({ count: 1 });
  });

  it("refuse what would break the plan", async () => {
    const tenon = open();
    await answer(tenon, "create_task", { id: "A", title: "a", description });
    await answer(tenon, "create_task", { id: "B", title: "b", description, depends_on: ["A"] });
    expect(await failure(tenon, "update_task", { id: "A", depends_on: ["B"] })).toMatchObject({
      type: "ToolValidationError",
      code: "PLAN_CYCLE",
      message: expect.stringContaining("A -> B -> A") as string,
    });
    const refused: [string, object, string][] = [
      ["create_task", { id: "A", title: "again", description }, "VALUE_INVALID"],
      ["create_task", { id: "C", title: "c", description, depends_on: ["C"] }, "PLAN_CYCLE"],
      ["create_task", { id: "C", title: "c", description, depends_on: ["Z"] }, "RESOURCE_NOT_FOUND"],
      ["create_task", { id: "C", title: "c", description, feature_id: "F" }, "RESOURCE_NOT_FOUND"],
      ["add_feature", { id: "F", title: "f", description, requirement_ids: ["R"] }, "RESOURCE_NOT_FOUND"],
      ["update_task_status", { id: "Z", status: "done" }, "RESOURCE_NOT_FOUND"],
      ["update_task_status", { id: "A", status: "finished" }, "ARGUMENTS_INVALID"],
      ["update_task", { id: "A" }, "VALUE_INVALID"],
      ["update_requirement", { id: "R", priority: "urgent" }, "ARGUMENTS_INVALID"],
      ["create_requirement", { id: "R", title: "r", description }, "ARGUMENTS_INVALID"],
      ["create_task", { id: "has space", title: "c", description }, "ARGUMENTS_INVALID"],
      ["create_task", { id: "", title: "c", description }, "ARGUMENTS_INVALID"],
    ];
    for (const [name, args, code] of refused)
      expect((await failure(tenon, name, args))?.code, `${name} ${JSON.stringify(args)}`).toBe(code);
    expect(await answer(tenon, "get_tasks")).toMatchObject({ count: 2 });
  });

  it("change a part, and tell who changed what", async () => {
    const tenon = open();
    const agent = tenon.createSession({ agent: "planner" });
    await answer(agent, "create_requirement", { id: "R", title: "old", description, priority: "low" });
    expect(await answer(agent, "update_requirement", { id: "R", title: "new" })).toMatchObject({
      title: "new",
      description,
      priority: "low",
    });
    const { requirements } = await answer(agent, "get_requirements", { include_history: true });
    expect(requirements).toMatchObject([
      {
        history: [
          { what: "created", agent: "planner" },
          { what: "title: old -> new", agent: "planner" },
        ],
      },
    ]);
    await answer(agent, "add_feature", { id: "F", title: "f", description, requirement_ids: ["R"] });
    await answer(agent, "create_task", { id: "T", title: "t", description, feature_id: "F" });
    expect(await answer(agent, "update_feature", { id: "F", requirement_ids: [] })).toMatchObject({
      requirementIds: [],
    });
    expect(await answer(agent, "update_task", { id: "T", feature_id: null })).not.toHaveProperty("featureId");
  });

  it("tell the model what is ready and what waits", async () => {
    const tenon = open();
    expect(await text(tenon, "get_tasks")).toBe("No tasks.");
    await answer(tenon, "create_task", { id: "A", title: "first", description });
    await answer(tenon, "create_task", { id: "B", title: "second", description, depends_on: ["A"] });
    expect(await text(tenon, "get_tasks")).toBe(
      "[ ] A: first (pending)\n[ ] B: second (pending, waits for A)\nReady now: A",
    );
    expect(await text(tenon, "update_task_status", { id: "A", status: "done" })).toBe(
      "A is done. Ready now: B.",
    );
  });
});
