import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolEnvelope } from "../../contract/call.js";
import { errorCodes } from "../../contract/error-codes.js";
import { createTenon } from "../create-tenon.js";
import { reflect } from "./reflect.js";

const ok = (toolName: string, extra: object = {}): ToolEnvelope => ({
  callId: "c",
  toolName,
  success: true,
  result: {},
  startedAt: 0,
  completedAt: 0,
  durationMs: 0,
  metadata: { sessionId: "s", ...extra },
  content: [],
});
const failed = (
  toolName: string,
  code: string,
  { type = typeOf(code), hint, ...extra }: { type?: string; hint?: string; parentCallId?: string } = {},
): ToolEnvelope => ({
  ...ok(toolName, extra),
  result: undefined,
  success: false,
  error: { type, code, message: `${code} happened`, retryable: false, ...(hint !== undefined && { hint }) },
});
function typeOf(code: string): string {
  return code in errorCodes ? errorCodes[code as keyof typeof errorCodes].type : "ToolExecutionError";
}
const look = (...actionsDone: ToolEnvelope[]) => reflect({ actionsDone });

describe("reflect", () => {
  it("goes on where nothing was done", () => {
    expect(look()).toEqual({
      verdict: "continue",
      assessment: "Nothing was done yet.",
      lessons: [],
      toolFailures: [],
    });
  });

  it("is complete where all went well, or what failed worked later", () => {
    expect(look(ok("read_file"), ok("edit_file"))).toMatchObject({ verdict: "complete", toolFailures: [] });
    const learnt = look(failed("edit_file", "EDIT_NOT_READ"), ok("read_file"), ok("edit_file"));
    expect(learnt).toMatchObject({
      verdict: "complete",
      toolFailures: [{ toolName: "edit_file", recovered: true }],
    });
    expect(learnt.lessons).toEqual(["edit_file failed with EDIT_NOT_READ and worked later."]);
    expect(learnt.nextFocus).toBeUndefined();
  });

  it("forgives a miss on the way", () => {
    expect(look(failed("read_file", "RESOURCE_NOT_FOUND"), ok("list_files"))).toMatchObject({
      verdict: "complete",
    });
    expect(look(ok("list_files"), failed("read_file", "RESOURCE_NOT_FOUND"))).toMatchObject({
      verdict: "continue",
    });
  });

  it("goes on with the way out of what is still open", () => {
    const open = look(ok("read_file"), failed("http_get", "NETWORK_FAILED"));
    expect(open.verdict).toBe("continue");
    expect(open.nextFocus).toContain(errorCodes.NETWORK_FAILED.hint);
  });

  it("plans again where somebody said no, the tool is missing, or the same fails again and again", () => {
    expect(look(ok("read_file"), failed("shell_exec", "APPROVAL_DENIED")).verdict).toBe("replan");
    expect(look(failed("write_file", "PATH_OUTSIDE"), ok("read_file")).verdict).toBe("replan");
    expect(look(failed("fly", "TOOL_NOT_FOUND")).verdict).toBe("replan");
    const stuck = look(...Array.from({ length: 3 }, () => failed("code_query", "EXECUTION_FAILED")));
    expect(stuck).toMatchObject({ verdict: "replan", toolFailures: [{ count: 3 }] });
    expect(stuck.toolFailures[0]?.suggestion).toMatch(/3 times.*list_files/);
  });

  it("prefers the hint of the error to that of its code", () => {
    const { toolFailures } = look(failed("read_file", "RESOURCE_NOT_FOUND", { hint: "It is called b.txt." }));
    expect(toolFailures[0]?.suggestion).toBe("It is called b.txt.");
  });

  it("does not count what failed within a call that went well", () => {
    expect(look(failed("read_file", "ACCESS_DENIED", { parentCallId: "p" }), ok("chain")).verdict).toBe(
      "complete",
    );
  });

  it("is not complete while tasks of the plan are open", () => {
    const planTasks = [
      { id: "T1", title: "One", status: "done", waitsFor: [] },
      { id: "T2", title: "Two", status: "blocked", waitsFor: ["T3"] },
      { id: "T3", title: "Three", status: "pending", waitsFor: [] },
    ] as const;
    const { verdict, nextFocus, lessons } = reflect({ actionsDone: [ok("x")] }, { planTasks });
    expect([verdict, nextFocus]).toEqual(["continue", "T3: Three"]);
    expect(lessons).toEqual(["Blocked in the plan: T2."]);
  });

  it("is pure, and complete only where no failure is open", () => {
    const action = fc.oneof(
      fc.constantFrom("a", "b").map((name) => ok(name)),
      fc
        .tuple(fc.constantFrom("a", "b"), fc.constantFrom(...Object.keys(errorCodes), "CUSTOM"))
        .map(([name, code]) => failed(name, code)),
    );
    fc.assert(
      fc.property(fc.array(action), (actionsDone) => {
        const one = reflect({ actionsDone });
        expect(reflect({ actionsDone: structuredClone(actionsDone) })).toEqual(one);
        expect(one.toolFailures.every(({ suggestion }) => suggestion !== "")).toBe(true);
        if (one.verdict === "complete") expect(actionsDone.at(-1)).toSucceed();
      }),
    );
  });

  it("is there for the tasks of a Tenon", async () => {
    const tenon = createTenon({ config: { database: ":memory:" } });
    await tenon.call({ name: "current_time", taskId: "t" });
    await tenon.call({ name: "current_tim", taskId: "t" });
    expect(await tenon.reflect("t")).toMatchObject({
      verdict: "replan",
      toolFailures: [{ code: "TOOL_NOT_FOUND" }],
    });
    expect((await tenon.reflect("unknown")).verdict).toBe("continue");
    await tenon.close();
  });
});
