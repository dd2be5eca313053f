import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { createTenon } from "../runtime/create-tenon.js";
import type { Tenon } from "../runtime/tenon.js";
import type { AgentEvent } from "./agent-types.js";
import { createTestContext } from "../test-kit/create-test-context.js";
import { openCompatibleModel } from "./load-ai.js";
import { runAgent } from "./run-agent.js";
import { callsTools, fails, says, sse, startStandIn, type StandInAnswer } from "./testing/stand-in-server.js";

const add = defineTool({
  name: "math:add",
  description: "Add two numbers.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
});
const wipe = defineTool({
  name: "wipe",
  description: "Wipe everything.",
  category: "custom",
  annotations: { dangerous: true },
  input: z.object({}),
  execute: () => ({ wiped: true }),
});
const wait = defineTool({
  name: "wait",
  description: "Wait until stopped.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({}),
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
});

/** One piece of a streamed answer. */
const piece = (content: string): string =>
  `data: ${JSON.stringify({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function open(): Tenon {
  const tenon = createTenon({ tools: [add, wipe, wait], builtIns: false, config: { database: ":memory:" } });
  closing.push(() => tenon.close());
  return tenon;
}

async function against(...answers: StandInAnswer[]) {
  const server = await startStandIn(answers);
  closing.push(server.close);
  const model = await openCompatibleModel({ model: "m", baseUrl: server.url, apiKey: "key" });
  return { server, model };
}

describe("runAgent over the real protocol", () => {
  it("runs the calls of the model, tells it the results, and ends with its answer", async () => {
    const tenon = open();
    const { server, model } = await against(
      callsTools(["c1", "math__add", '{"a":2,"b":3}'], ["c2", "math__add", '{"a":1,"b":1}']),
      says("It is ", "5."),
    );
    const events: AgentEvent[] = [];
    const result = await runAgent(tenon, {
      task: "Add",
      model,
      taskId: "t1",
      onEvent: (event) => events.push(event),
    });
    expect(result).toMatchObject({
      text: "It is 5.",
      stopped: "done",
      steps: 2,
      calls: 2,
      taskId: "t1",
      usage: { inputTokens: 20, outputTokens: 10 },
      reflection: { verdict: "complete" },
    });
    expect((await tenon.task("t1"))?.actionsDone.map(({ result: value }) => value)).toEqual([
      { sum: 5 },
      { sum: 2 },
    ]);
    expect(server.seen[0]).toMatchObject({ authorization: "Bearer key", body: { model: "m" } });
    expect(server.seen[0]?.body.tools?.map((tool) => tool.function.name)).toEqual([
      "math__add",
      "wait",
      "wipe",
    ]);
    expect(JSON.stringify(server.seen[1]?.body.messages)).toContain('\\"sum\\":5');
    expect(events.map(({ type }) => type)).toEqual([
      "step",
      "call",
      "call",
      "result",
      "result",
      "step",
      "text",
      "text",
    ]);
  });

  it("tells the model what was refused, and looks back on it", async () => {
    const { server, model } = await against(callsTools(["c1", "wipe", "{}"]), says("I may not."));
    const result = await runAgent(open(), { task: "Wipe", model });
    expect(result.stopped).toBe("done");
    expect(JSON.stringify(server.seen[1]?.body.messages)).toMatch(/denied|consent/i);
    expect(result.reflection.verdict).toBe("replan");
    expect(result.reflection.toolFailures).toMatchObject([
      { toolName: "wipe", code: "APPROVAL_UNAVAILABLE" },
    ]);
  });

  it("answers unknown tools and broken arguments so that the model can correct itself", async () => {
    const { server, model } = await against(
      callsTools(["c1", "math__ad", '{"a":2,"b":3}']),
      callsTools(["c2", "math__add", '{"a":2,"b":']),
      callsTools(["c3", "math__add", '{"a":2,"b":"x"}']),
      callsTools(["c4", "math__add", '{"a":2,"b":3}']),
      says("5"),
    );
    const result = await runAgent(open(), { task: "Add", model });
    expect(result).toMatchObject({ text: "5", stopped: "done", steps: 5 });
    const results = server.seen.slice(1).map(({ body }) => JSON.stringify(body.messages.at(-1)));
    expect(results.every((message) => message.includes('"tool"'))).toBe(true);
    expect(results[2]).toMatch(/ARGUMENTS_INVALID|number/);
    expect(results[3]).toContain("5");
  });

  it("tells calls apart that a model gives the same id", async () => {
    const again = callsTools(["c1", "math__add", '{"a":2,"b":3}']);
    const { model } = await against(again, again, says("5"));
    const tenon = open();
    const events: AgentEvent[] = [];
    await runAgent(tenon, { task: "Add", model, taskId: "t2", onEvent: (event) => events.push(event) });
    const told = events.flatMap((event) => (event.type === "call" ? [event.callId] : []));
    expect(new Set(told).size).toBe(2);
    expect((await tenon.task("t2"))?.actionsDone.map(({ callId }) => callId)).toEqual(told);
  });

  it("stops after its steps, and when its tokens are spent", async () => {
    const again = callsTools(["c1", "math__add", '{"a":2,"b":3}']);
    const { model } = await against(again);
    expect(await runAgent(open(), { task: "Add", model, maxSteps: 3 })).toMatchObject({
      stopped: "max-steps",
      steps: 3,
    });
    expect(await runAgent(open(), { task: "Add", model, maxTokens: 20 })).toMatchObject({
      stopped: "budget",
      steps: 2,
    });
  });

  it("says what the server said when it fails", async () => {
    const { model } = await against(fails(401, "wrong key"));
    const result = await runAgent(open(), { task: "x", model, maxRetries: 0 });
    expect(result).toMatchObject({ stopped: "error", steps: 1 });
    expect(result.error).toContain("wrong key");
  });

  it("ends with an error where the stream is no stream, or breaks off", async () => {
    const garbage: StandInAnswer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("data: {not json\n\n");
    };
    const cut: StandInAnswer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"hal');
      setImmediate(() => response.destroy());
    };
    for (const answer of [garbage, cut]) {
      const { model } = await against(answer);
      const result = await runAgent(open(), { task: "x", model, maxRetries: 0 });
      expect(result.stopped).toBe("error");
      expect(result.error).not.toBe("");
    }
  });

  it.each([
    ["length", "length"],
    ["content_filter", "content-filter"],
  ])("stops with a reason of its own where the provider says %s", async (reason, stopped) => {
    const { model } = await against(sse([{ content: "As I was say" }], reason));
    expect(await runAgent(open(), { task: "x", model })).toMatchObject({
      stopped,
      text: "As I was say",
      steps: 1,
    });
  });

  it("runs no call of an answer that the provider's filter withheld", async () => {
    const call = {
      index: 0,
      id: "c",
      type: "function",
      function: { name: "math__add", arguments: '{"a":1,"b":2}' },
    };
    const { model } = await against(sse([{ tool_calls: [call] }], "content_filter"));
    const { stopped, reflection } = await runAgent(open(), { task: "x", model });
    expect(stopped).toBe("content-filter");
    expect(reflection.assessment).toBe("Nothing was done yet.");
  });

  it.each<[string, StandInAnswer]>([
    [
      "is cut off",
      (response) =>
        void response
          .writeHead(200, { "content-type": "text/event-stream" })
          .write(piece("ha"), () => response.destroy()),
    ],
    [
      "ends too early",
      (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(piece("ha")),
    ],
  ])("asks again where the stream %s", async (_, drop) => {
    const { model, server } = await against(drop, says("whole"));
    expect(await runAgent(open(), { task: "x", model })).toMatchObject({
      stopped: "done",
      text: "whole",
      steps: 1,
    });
    expect(server.seen).toHaveLength(2);
  });

  it("does not wait for a silent server for ever", async () => {
    const { model } = await against((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
    });
    const result = await runAgent(open(), { task: "x", model, idleTimeoutMs: 100 });
    expect(result).toMatchObject({ stopped: "error" });
    expect(result.error).toContain("silent");
  });

  it("can be cancelled while a tool runs and while the model speaks", async () => {
    const { model } = await against(callsTools(["c1", "wait", "{}"]), says("x"));
    const stop = new AbortController();
    const tool = await runAgent(open(), {
      task: "x",
      model,
      signal: stop.signal,
      onEvent: (event) => event.type === "call" && setImmediate(() => stop.abort()),
    });
    expect(tool).toMatchObject({ stopped: "cancelled", calls: 1 });
    const silent = await against(() => undefined);
    const stopModel = new AbortController();
    const running = runAgent(open(), { task: "x", model: silent.model, signal: stopModel.signal });
    setImmediate(() => stopModel.abort());
    expect(await running).toMatchObject({ stopped: "cancelled" });
  });
});

describe("runAgent with a transcript", () => {
  it("runs the calls of a transcript again, with the usual checks", async () => {
    const { model } = await against(
      callsTools(["c1", "math__add", '{"a":2,"b":3}'], ["c2", "wipe", "{}"]),
      says("It is 5."),
    );
    const first = await runAgent(open(), { task: "Add", model });
    expect(first.transcript).toMatchObject({
      version: 1,
      task: "Add",
      steps: [
        {
          calls: [
            { toolName: "math:add", arguments: { a: 2, b: 3 }, result: { success: true } },
            { toolName: "wipe", result: { success: false, code: "APPROVAL_UNAVAILABLE" } },
          ],
        },
        { text: "It is 5.", calls: [] },
      ],
    });
    const transcript = JSON.parse(JSON.stringify(first.transcript)) as typeof first.transcript;
    const tenon = open();
    const again = await runAgent(tenon, { transcript, taskId: "again" });
    expect(again).toMatchObject({ text: "It is 5.", stopped: "done", steps: 2, calls: 2 });
    expect(again.transcript).toEqual(transcript);
    expect((await tenon.task("again"))?.actionsDone.map(({ toolName }) => toolName)).toContain("math:add");
  });

  it("ends with an error where the transcript ends too early", async () => {
    const call = { id: "c", name: "math:add", toolName: "math:add", arguments: { a: 1, b: 1 } };
    const usage = { inputTokens: 0, outputTokens: 0 };
    const steps = [{ text: "", calls: [call], problems: [], usage }];
    const result = await runAgent(open(), { transcript: { version: 1, task: "Add", steps } });
    expect(result).toMatchObject({
      stopped: "error",
      calls: 1,
      error: expect.stringContaining("ends after 1"),
    });
  });

  it.each([
    [{}, /either a model or a transcript/],
    [{ model: {}, transcript: { version: 1, task: "", steps: [] } }, /either a model or a transcript/],
    [{ model: {} }, /needs a task/],
    [{ model: {}, task: "x", maxStep: 3 }, /Unknown option "maxStep"/],
    [{ transcript: { version: 2 } }, /version 1/],
    [{ transcript: { version: 1, task: "x", steps: [{ text: "" }] } }, /step 1/],
    [{ transcript: { version: 1, task: "x", steps: [{ text: "", calls: [{}] }] } }, /names no tool/],
  ])("refuses %j", async (options, message) => {
    await expect(runAgent(open(), options as never)).rejects.toThrow(message);
  });
});

describe("runAgent with the built-in tools", () => {
  it("starts a background job in one step and reads it in a later one", async () => {
    const jobId: StandInAnswer = (response, request) => {
      const told = JSON.stringify(request.body.messages.at(-1));
      const id = /job[_-]\w+/.exec(told)?.[0] ?? "none";
      return callsTools([
        "c2",
        "shell_output",
        JSON.stringify({ job_id: id, wait_for: "ready", timeout: 60_000 }),
      ])(response, request);
    };
    const { server, model } = await against(
      callsTools(["c1", "shell_exec", '{"command":"echo ready; sleep 60","background":true}']),
      jobId,
      says("It runs."),
    );
    const ctx = await createTestContext();
    closing.push(() => ctx.close());
    const result = await runAgent(ctx.tenon, { task: "Serve", model });
    expect(result).toMatchObject({ stopped: "done", calls: 2, text: "It runs." });
    expect(result.reflection.toolFailures).toEqual([]);
    expect(JSON.stringify(server.seen[2]?.body.messages.at(-1))).toContain("ready");
  });
});

describe("runAgent with tools in the prompt", () => {
  it("reads calls from text, tells results as text, and shows the text without calls", async () => {
    const { server, model } = await against(
      says(
        "I add.\n<tool_call name=",
        '"math:add"><parameter name="a">2</parameter>',
        '<parameter name="b">3</parameter></tool_call>',
      ),
      says("Done: 5."),
    );
    const shown: string[] = [];
    const result = await runAgent(open(), {
      task: "Add",
      model,
      promptTools: true,
      onEvent: (event) => event.type === "text" && shown.push(event.text),
    });
    expect(result).toMatchObject({ text: "Done: 5.", stopped: "done", calls: 1 });
    expect(shown).toEqual(["I add.", "Done: 5."]);
    expect(server.seen[0]?.body.tools).toBeUndefined();
    expect(JSON.stringify(server.seen[0]?.body.messages[0])).toContain("math:add");
    expect(server.seen[1]?.body.messages.at(-1)?.content).toMatch(
      /<tool_result name="math:add".*status="ok">[^]*5/,
    );
  });

  it("tells the model what it could not read, and gives up in the end", async () => {
    const { server, model } = await against(says('<tool_call>{"name":"math:add","a":1}</tool_call>'));
    const result = await runAgent(open(), { task: "Add", model, promptTools: "json" });
    expect(result).toMatchObject({ stopped: "error", steps: 3, calls: 0 });
    expect(server.seen[1]?.body.messages.at(-1)?.content).toContain("could not be read");
  });
});

describe("runAgent with the SDK's mock model", () => {
  it("works with any model of the SDK", async () => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = new MockLanguageModelV3({
      doStream: async () => ({
        stream: simulateReadableStream({
          chunks: [
            { type: "reasoning-start", id: "r" },
            { type: "reasoning-delta", id: "r", delta: "hm" },
            { type: "reasoning-end", id: "r" },
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: "Hello" },
            { type: "text-end", id: "1" },
            { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
          ],
        }),
      }),
    });
    const events: AgentEvent[] = [];
    const result = await runAgent(open(), { task: "x", model, onEvent: (event) => events.push(event) });
    expect(result).toMatchObject({
      text: "Hello",
      stopped: "done",
      usage: { inputTokens: 1, outputTokens: 1 },
    });
    expect(result.reflection).toMatchObject({ verdict: "continue", assessment: "Nothing was done yet." });
    expect(events).toContainEqual({ type: "thinking", text: "hm" });
  });
});
