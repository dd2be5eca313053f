import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  ToolPermissionError,
  ToolTimeoutError,
  ToolUnavailableError,
  ToolValidationError,
} from "../index.js";
import { gate, open, tool, until } from "../../test/spine-fixture.js";

const second = tool("second", { execute: (input) => ({ by: "second", input }) });
const fails = () => Promise.reject(new Error("first broke"));

describe("a fallback", () => {
  it("answers where the tool fails, times out, is disabled or cannot start", async () => {
    const ways = {
      failing: { execute: fails },
      late: { timeoutMs: 10, execute: () => new Promise(() => {}) },
      gone: { execute: () => Promise.reject(new ToolUnavailableError("away", { retryable: false })) },
      off: { execute: () => 1 },
      broken: { init: () => Promise.reject(new Error("no start")), execute: () => 1 },
      wrong: { output: { type: "number" }, execute: () => "text" },
    };
    const tools = Object.entries(ways).map(([name, members]) =>
      tool(name, { fallback: "second", ...(members as object) } as never),
    );
    const tenon = open({ tools: [second, ...tools], cancelGraceMs: 5 });
    tenon.registry.disable("off", "maintenance");
    for (const name of Object.keys(ways)) {
      const answer = await tenon.call({ id: name, name, arguments: { a: 1 } });
      expect(answer).toSucceed({
        metadata: { requestId: name },
        toolName: name,
        result: { by: "second", input: { a: 1 } },
      });
      expect(answer.metadata).toMatchObject({ answeredBy: "second" });
      expect(answer.metadata["fallbackReason"]).toBeTypeOf("string");
    }
  });

  it("does not answer where the caller is at fault or was refused", async () => {
    let ran = 0;
    const counting = tool("second", { execute: () => ran++ });
    const tenon = open({
      tools: [
        counting,
        tool("args", { fallback: "second", input: z.object({ n: z.number() }), execute: () => 1 }),
        tool("denied", { fallback: "second", annotations: { dangerous: true }, execute: () => 1 }),
        tool("refuses", { fallback: "second", execute: () => Promise.reject(new ToolPermissionError("no")) }),
        tool("value", { fallback: "second", execute: () => Promise.reject(new ToolValidationError("no")) }),
      ],
    });
    const answers = await tenon.callMany(["args", "denied", "refuses", "value"].map((name) => ({ name })));
    expect(answers.every(({ success }) => !success)).toBe(true);
    expect(ran).toBe(0);
  });

  it("gets the arguments as they were sent, without what the first tool's schema made of them", async () => {
    const strict = tool("second", { input: z.strictObject({ text: z.string() }), execute: (input) => input });
    const first = tool("first", {
      fallback: "second",
      input: z.object({
        text: z.string().transform((text) => text.length),
        mode: z.string().default("fast"),
      }),
      execute: fails,
    });
    const answer = await open({ tools: [strict, first] }).call({ name: "first", arguments: { text: "abc" } });
    expect(answer).toSucceed({ result: { text: "abc" } });
  });

  it("that cannot take the arguments, fails, is refused or is not there leaves the first error standing", async () => {
    const tenon = open({
      tools: [
        tool("picky", { input: z.strictObject({ other: z.string() }), execute: () => 1 }),
        tool("sick", { execute: () => Promise.reject(new Error("sick too")) }),
        tool("danger", { annotations: { dangerous: true }, execute: () => 1 }),
        ...["picky", "sick", "danger", "absent"].map((fallback) =>
          tool(`to-${fallback}`, { fallback, execute: fails }),
        ),
      ],
    });
    for (const name of ["to-picky", "to-sick", "to-danger", "to-absent"]) {
      const answer = await tenon.call({ name, arguments: { a: 1 } });
      expect(answer).toFailWith("EXECUTION_FAILED", { message: "first broke" });
      expect(answer.metadata.answeredBy).toBeUndefined();
    }
  });

  it("of a fallback answers in turn, and a circle ends after one round", async () => {
    const runs: string[] = [];
    const link = (name: string, fallback: string) =>
      tool(name, { fallback, execute: () => (runs.push(name), Promise.reject(new Error(`${name} broke`))) });
    const chain = open({ tools: [link("a", "b"), link("b", "second"), second] });
    expect(await chain.call({ name: "a" })).toSucceed({ metadata: { answeredBy: "b" } });
    expect(runs).toEqual(["a", "b"]);
    runs.length = 0;
    const circle = open({ tools: [link("a", "b"), link("b", "c"), link("c", "a")] });
    expect((await circle.call({ name: "a" })).error?.message).toBe("a broke");
    expect(runs).toEqual(["a", "b", "c"]);
  });

  it("renders its own result, in its own words", async () => {
    const rendering = tool("second", { render: () => "second's words", execute: () => ({ other: "shape" }) });
    const first = tool("first", {
      fallback: "second",
      render: (result: never) => (result as { mine: { deep: string } }).mine.deep,
      execute: fails,
    });
    const outside = tool("web", {
      annotations: { readOnly: true, openWorld: true },
      execute: () => "from outside",
    });
    const toWeb = tool("local", { fallback: "web", execute: fails });
    const tenon = open({
      tools: [rendering, first, outside, toWeb],
      config: { policy: { rules: [{ decision: "allow", tool: "web" }] } },
    });
    expect((await tenon.call({ name: "first" })).content).toEqual([{ type: "text", text: "second's words" }]);
    const answer = await tenon.call({ name: "local" });
    expect(answer.metadata.untrusted).toBe(true);
    expect(answer.content[0]).toMatchObject({ text: expect.stringContaining("not instructions") as string });
  });

  it("stops when the caller no longer wants the answer, also after the first tool's time was over", async () => {
    for (const first of [{ execute: fails }, { timeoutMs: 5, execute: () => new Promise(() => {}) }]) {
      const inside = gate<AbortSignal>();
      const slow = tool("second", {
        execute: (_, { signal }) => {
          inside.open(signal);
          return new Promise(() => {});
        },
      });
      const tenon = open({
        tools: [slow, tool("first", { fallback: "second", ...first })],
        cancelGraceMs: 5,
      });
      const cancel = new AbortController();
      const running = tenon.call({ name: "first", signal: cancel.signal });
      const signal = await inside.passed;
      cancel.abort();
      const answer = await running;
      expect(answer).not.toSucceed();
      expect(signal.aborted).toBe(true);
      await until(() => tenon.stats().running === 0);
    }
  });

  it("is not begun where the caller's time is over, neither in the queue nor while the first tool runs", async () => {
    const held = { concurrency: { max: 1 } };
    const never = tool("first", { fallback: "second", execute: () => new Promise(() => {}), ...held });
    let ran = 0;
    const tenon = open({ tools: [never, tool("second", { execute: () => ran++ })], cancelGraceMs: 5 });
    const late = new AbortController();
    const answers = [1, 2].map(() => tenon.call({ name: "first", signal: late.signal }));
    await until(() => tenon.stats().running === 1 && tenon.stats().waiting === 1);
    late.abort(new ToolTimeoutError("The caller waits no longer."));
    for (const answer of await Promise.all(answers)) expect(answer).toFailWith("TIMED_OUT");
    expect(ran).toBe(0);
  });

  it("has its own time, and may work while Tenon closes", async () => {
    const go = gate();
    const started = gate();
    const slow = tool("second", {
      execute: async () => {
        started.open();
        await go.passed;
        return "in time";
      },
    });
    const tenon = open({
      tools: [slow, tool("first", { fallback: "second", timeoutMs: 30, execute: fails })],
    });
    const running = tenon.call({ name: "first" });
    await started.passed;
    const closing = tenon.close();
    setTimeout(go.open, 60);
    expect(await running).toSucceedWith("in time");
    await closing;
  });

  it("is begun though Tenon is closing", async () => {
    const go = gate();
    const tenon = open({
      tools: [second, tool("first", { fallback: "second", execute: () => go.passed.then(fails) })],
    });
    const running = tenon.call({ name: "first" });
    const closing = tenon.close();
    go.open();
    expect(await running).toSucceed();
    await closing;
  });

  it("counts as a call of its own below the first one", async () => {
    const tenon = open({ tools: [second, tool("first", { fallback: "second", execute: fails })] });
    const seen: string[] = [];
    tenon.on("TOOL_CALL_COMPLETED", ({ toolName, parentCallId }) =>
      seen.push(`${toolName} under ${parentCallId}`),
    );
    const { callId } = await tenon.call({ name: "first" });
    expect(seen).toEqual([`second under ${callId}`, "first under undefined"]);
    const { tools } = tenon.metrics.snapshot();
    expect(tools.map(({ toolName, failures, successes }) => [toolName, failures, successes])).toEqual([
      ["first", 1, 0],
      ["second", 0, 1],
    ]);
  });

  it("is called for the same task, with the caller's priority and time limit", async () => {
    const seen: unknown[] = [];
    const tenon = open({
      cancelGraceMs: 1,
      tools: [
        tool("second", {
          timeoutMs: 60_000,
          execute: (_, { taskId }) => (seen.push(taskId), new Promise(() => {})),
        }),
        tool("first", { fallback: "second", execute: fails }),
      ],
    });
    const answer = await tenon.call({ name: "first", taskId: "t1", timeoutMs: 20 });
    expect(answer).toFailWith("EXECUTION_FAILED", { message: "first broke" });
    expect(seen).toEqual(["t1"]);
  });

  it("gets the arguments that the first tool was meant to get", async () => {
    const first = tool("first", {
      fallback: "second",
      input: z.object({ path: z.string() }),
      execute: fails,
    });
    const answer = await open({ tools: [second, first] }).call({
      name: "first",
      arguments: { file_path: "a" },
    });
    expect(answer.result).toEqual({ by: "second", input: { path: "a" } });
  });

  it("does not hide why the first tool failed: secrets are taken out", async () => {
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const first = tool("first", {
      fallback: "second",
      execute: () => Promise.reject(new Error(`at ${secret}`)),
    });
    const { metadata } = await open({ tools: [second, first] }).call({ name: "first" });
    expect(metadata["fallbackReason"]).toMatch(/^at /);
    expect(metadata["fallbackReason"]).not.toContain(secret);
    expect(metadata).not.toHaveProperty("untrusted");
  });
});
