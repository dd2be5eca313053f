import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import type { ToolEnvelope } from "../contract/call.js";
import type { LiveCall } from "./api.js";
import { openTestServer, type TestServer } from "./testing/open-server.js";
import { readFeed } from "./testing/read-feed.js";

let at: TestServer;
const name = "odd:tool/with__parts";

const patient = defineTool({
  name: "patient",
  description: "Says something and waits to be stopped.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({}),
  async *execute(_, { signal }) {
    yield "still here";
    await new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }),
    );
  },
});
const odd = defineTool({
  name,
  description: "Has a name that an address must not trip over.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ word: z.string() }),
  examples: [{ description: "A word", arguments: { word: "hello" } }],
  execute: ({ word }) => ({ word }),
});

beforeAll(async () => {
  // No points of the metrics while the tests run, however slow the machine is.
  at = await openTestServer({ tenonOptions: { tools: [patient, odd] } });
});
afterAll(() => at.close());

const callTool = async (tool: string, args: unknown, more: object = {}): Promise<ToolEnvelope> =>
  (await at.post(`/api/tools/${encodeURIComponent(tool)}/call`, { arguments: args, ...more }))
    .body as ToolEnvelope;

/** Wait for the first thing on a list that the server keeps. */
async function waiting(path: string, holds: (item: never) => boolean = () => true): Promise<never> {
  for (;;) {
    const found = ((await at.ask(path)).body as never[]).find(holds);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe("tools", () => {
  it("are listed by name, with where they come from", async () => {
    const { body } = await at.ask("/api/tools");
    expect(body.find((tool: { name: string }) => tool.name === "read_file")).toMatchObject({
      origin: "built-in",
      aliases: ["file_read"],
      enabled: true,
      category: "file",
    });
    expect(body.find((tool: { name: string }) => tool.name === name)).toMatchObject({ origin: "code" });
  });

  it("are described under any name or alias, however it is written", async () => {
    const { body } = await at.ask(`/api/tools/${encodeURIComponent(name)}`);
    expect(body).toMatchObject({
      name,
      inputSchema: { type: "object" },
      examples: [{ title: "A word", input: { word: "hello" } }],
      health: { status: "healthy" },
      history: [],
    });
    expect((await at.ask("/api/tools/file_read")).body.name).toBe("read_file");
    for (const bad of ["nothing", "%E0%A4%A", "..%2F..%2Fetc%2Fpasswd", "__proto__", "a%00b"])
      expect((await at.ask(`/api/tools/${bad}`)).status).toBe(404);
  });

  it("are switched off and on", async () => {
    const path = `/api/tools/${encodeURIComponent(name)}/state`;
    expect((await at.post(path, { enabled: false })).body).toMatchObject({ enabled: false });
    expect(await callTool(name, { word: "a" })).toFailWith("TOOL_DISABLED");
    expect((await at.post(path, { enabled: true })).body).toMatchObject({ enabled: true });
    expect(await callTool(name, { word: "a" })).toSucceedWith({ word: "a" });
  });

  it("are called as a person in the console's session", async () => {
    const envelope = await callTool(name, { word: "hi" }, { id: "mine", taskId: "T1" });
    expect(envelope).toSucceed({
      result: { word: "hi" },
      metadata: { requestId: "mine", sessionId: "console", agent: "person", taskId: "T1" },
    });
    expect(envelope.content[0]).toMatchObject({ type: "text" });
    expect(await callTool("nowhere", {})).toFailWith("TOOL_NOT_FOUND");
  });
});

describe("a request that is not as it should be", () => {
  it.each([
    ["/api/tools/patient/state", { enabled: "yes" }],
    ["/api/tools/patient/call", { arguments: {}, more: 1 }],
    ["/api/undo", { path: "a", callId: "b" }],
    ["/api/undo/preview", {}],
    ["/api/policy/explain", { tool: 1 }],
    ["/api/approvals/x", { verdict: "maybe" }],
    ["/api/tools/patient/state", "{ not json"],
  ])("%s is answered with 400 and what is wrong", async (path, body) => {
    const reply = await at.post(path, body);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatchObject({ code: "REQUEST_INVALID", message: expect.any(String) });
  });

  it("is answered with 404 where nothing has that name", async () => {
    for (const path of ["/api/nothing", "/api", "/api/calls/none", "/api/policy/rules/none"])
      expect((await at.ask(path)).status).toBe(404);
    expect((await at.post("/api/approvals/none", { verdict: "once" })).status).toBe(404);
    expect((await at.post("/api/questions/none", { text: "a" })).status).toBe(404);
    expect((await at.post("/api/calls/none/cancel")).status).toBe(404);
    expect((await at.ask("/api/policy/rules/built-in%231", { method: "DELETE" })).status).toBe(404);
    expect((await at.ask("/api/calls?limit=none")).status).toBe(400);
  });
});

describe("a call that needs consent", () => {
  it("waits in the list, runs after a yes, and the feed tells all of it", async () => {
    const feed = await readFeed(at.server);
    const calling = callTool("write_file", { path: "a.txt", content: "one\n" }, { taskId: "T2" });
    const request = (await waiting("/api/approvals")) as { id: string; callId: string };
    expect(request).toMatchObject({
      toolName: "write_file",
      agent: "person",
      preview: { summary: expect.any(String) },
    });
    // The request is on the list before it is stored, and only then announced.
    const asking = ({ callId, state }: LiveCall): boolean => callId === request.callId && state === "asking";
    const live = await waiting("/api/calls", asking);
    expect(live).toMatchObject({ toolName: "write_file", arguments: { path: "a.txt" } });
    const [first, second] = await Promise.all([
      at.post(`/api/approvals/${request.id}`, { verdict: "once" }),
      at.post(`/api/approvals/${request.id}`, { verdict: "no" }),
    ]);
    expect([first.status, second.status].toSorted((one, other) => one - other)).toEqual([200, 409]); // the first answer counts
    const envelope = await calling;
    if (first.status === 200) expect(readFileSync(join(at.workspace, "a.txt"), "utf8")).toBe("one\n");
    expect(envelope.success).toBe(first.status === 200);
    await feed.until(({ items }) => items.some(({ event }) => event.type === "APPROVAL_RESOLVED"));
    const seen = feed.items.map(({ event }) => event.type);
    expect(seen.slice(0, 2)).toEqual(["TOOL_CALL_REQUESTED", "APPROVAL_REQUESTED"]);
    feed.stop();
  });

  it("is refused with the reason after a no, and may run with other arguments", async () => {
    const refused = callTool("write_file", { path: "b.txt", content: "one" });
    const one = (await waiting("/api/approvals")) as { id: string };
    await at.post(`/api/approvals/${one.id}`, { verdict: "no", reason: "not there" });
    expect(await refused).toFailWith("APPROVAL_DENIED", { message: expect.stringContaining("not there") });
    const changed = callTool("write_file", { path: "b.txt", content: "one" });
    const two = (await waiting("/api/approvals")) as { id: string };
    await at.post(`/api/approvals/${two.id}`, {
      verdict: "once",
      updatedArguments: { path: "c.txt", content: "two\n" },
    });
    expect(await changed).toSucceed();
    expect(readFileSync(join(at.workspace, "c.txt"), "utf8")).toBe("two\n");
  });

  it("becomes a rule by always, which shows in the policy and can be revoked", async () => {
    const calling = callTool("write_file", { path: "d.txt", content: "one\n" });
    const { id } = (await waiting("/api/approvals")) as { id: string };
    await at.post(`/api/approvals/${id}`, { verdict: "always" });
    expect(await calling).toSucceed();
    const { body } = await at.ask("/api/policy");
    expect(body.mode).toBe("ask");
    const rule = body.rules.find((one: { revocable: boolean }) => one.revocable);
    expect(rule).toMatchObject({
      source: "remembered",
      behavior: "allow",
      text: expect.stringContaining("d.txt"),
    });
    const about = { tool: "write_file", arguments: { path: "d.txt", content: "x" } };
    const allowed = (await at.post("/api/policy/explain", about)).body;
    expect(allowed).toMatchObject({ decision: "allow", rule: rule.id, source: "remembered" });
    expect(allowed.considered.map((one: { rule: string }) => one.rule)).toContain(rule.id);
    const revoked = await at.ask(`/api/policy/rules/${encodeURIComponent(rule.id)}`, { method: "DELETE" });
    expect(revoked.body).toEqual({ revoked: rule.id });
    expect((await at.post("/api/policy/explain", about)).body.decision).toBe("ask");
  });

  it("is withdrawn from the list when its caller leaves", async () => {
    const leaving = new AbortController();
    const asked = at
      .ask("/api/tools/write_file/call", {
        method: "POST",
        body: { arguments: { path: "e.txt", content: "" }, id: "leaver" },
        signal: leaving.signal,
      })
      .catch(() => "left");
    await waiting("/api/approvals");
    leaving.abort();
    expect(await asked).toBe("left");
    await waiting(
      "/api/calls",
      ({ requestId, state }: LiveCall) => requestId === "leaver" && state === "failed",
    );
    expect((await at.ask("/api/approvals")).body).toEqual([]);
  });
});

describe("a question", () => {
  const ask = (tool: string, args: unknown): Promise<ToolEnvelope> => callTool(tool, args);

  it("waits with the call that asks, and takes the answer that fits", async () => {
    const feed = await readFeed(at.server);
    const asking = ask("ask_user", { question: "Which one?", options: ["red", "blue"] });
    const question = (await waiting("/api/questions")) as { id: string };
    expect(question).toMatchObject({
      toolName: "ask_user",
      sessionId: "console",
      agent: "person",
      expiresAt: expect.any(Number),
      question: { kind: "ask", message: "Which one?", options: ["red", "blue"] },
    });
    expect((await at.post(`/api/questions/${question.id}`, { approved: true })).status).toBe(400);
    expect((await at.post(`/api/questions/${question.id}`, { text: "blue" })).status).toBe(200);
    expect(await asking).toSucceed({ result: { answer: "blue" } });
    await feed.until(({ items }) => items.some(({ event }) => event.type === "TOOL_CALL_COMPLETED"));
    const about = feed.items.filter(({ event }) => event.type.startsWith("QUESTION"));
    expect(about.map(({ event }) => event.payload)).toMatchObject([
      { id: question.id, question: { message: "Which one?" } },
      { id: question.id, outcome: "answered" },
    ]);
    feed.stop();
  });

  it("can be declined", async () => {
    const asking = ask("request_confirmation", { stage_name: "plan", message: "Go on?" });
    const { id } = (await waiting("/api/questions")) as { id: string };
    await at.post(`/api/questions/${id}`, { declined: true });
    expect(await asking).toFailWith("INTERACTION_FAILED");
    expect((await at.ask("/api/questions")).body).toEqual([]);
  });
});

describe("calls", () => {
  it("show what they put out and can be stopped", async () => {
    const calling = callTool("patient", {}, { id: "slow/one" });
    const path = `/api/calls/${encodeURIComponent("slow/one")}`;
    await waiting(
      "/api/calls",
      ({ requestId, output }: LiveCall) => requestId === "slow/one" && output === "still here",
    );
    expect((await at.ask(path)).body).toMatchObject({ state: "running", output: "still here" });
    expect((await at.post(`${path}/cancel`)).body).toEqual({ cancelled: true });
    expect(await calling).toFailWith("CANCELLED");
    expect((await at.ask(path)).body).toMatchObject({ state: "failed", error: { code: "CANCELLED" } });
    expect((await at.post(`${path}/cancel`)).status).toBe(409);
  });
});

describe("a call whose connection was lost", () => {
  it("is found with its whole answer, and made once under its key", async () => {
    const send = (body: object) =>
      at.ask("/api/tools/json_parse/call", {
        method: "POST",
        body,
        headers: { "idempotency-key": "K1" },
      });
    const first = (await send({ arguments: { text: '{"one":1}' } })).body;
    expect((await at.ask(`/api/calls/${first.callId}`)).body).toMatchObject({
      state: "succeeded",
      envelope: { callId: first.callId, result: first.result },
    });
    expect((await send({ arguments: { text: '{"one":1}' } })).body).toMatchObject({
      callId: first.callId,
      metadata: { repeated: true },
    });
    expect((await send({ arguments: { text: '{"two":2}' } })).body).toMatchObject({
      error: { code: "IDEMPOTENCY_KEY_REUSED" },
    });
  });
});

describe("what was changed", () => {
  it("is listed by task, previewed and taken back", async () => {
    writeFileSync(join(at.workspace, "f.txt"), "before\n");
    const session = at.tenon.createSession({ agent: "writer" });
    await session.call({ name: "read_file", arguments: { path: "f.txt" } });
    const writing = session.call({
      name: "edit_file",
      arguments: { path: "f.txt", old_str: "before", new_str: "after" },
      taskId: "T3",
    });
    const { id } = (await waiting("/api/approvals")) as { id: string };
    await at.post(`/api/approvals/${id}`, { verdict: "once" });
    expect(await writing).toSucceed();
    expect((await at.ask("/api/changes?limit=1&text=NO-SUCH")).body).toEqual([]);
    expect((await at.ask("/api/changes?limit=1&text=F.T")).body).toMatchObject([{ path: "f.txt" }]);
    const { body } = await at.ask("/api/changes?taskId=T3");
    expect(body).toMatchObject([{ path: "f.txt", tool: "edit_file", taskId: "T3", undone: false }]);
    const preview = (await at.post("/api/undo/preview", { taskId: "T3" })).body;
    expect(preview.files).toMatchObject([{ path: "f.txt" }]);
    expect(preview.diff).toContain("+before");
    expect(readFileSync(join(at.workspace, "f.txt"), "utf8")).toBe("after\n");
    expect((await at.post("/api/undo", { taskId: "T3" })).body).toMatchObject([{ path: "f.txt" }]);
    expect(readFileSync(join(at.workspace, "f.txt"), "utf8")).toBe("before\n");
  });

  it("is not taken back over somebody else's change", async () => {
    mkdirSync(join(at.workspace, "dir"), { recursive: true });
    writeFileSync(join(at.workspace, "a.txt"), "one\nand more\n");
    const reply = await at.post("/api/undo", { path: "a.txt" });
    expect([404, 409]).toContain(reply.status);
    expect(reply.body.error.message).toEqual(expect.any(String));
  });
});

describe("the log", () => {
  it("finds calls page by page, one with all of it, and checks its chain", async () => {
    for (let count = 0; count < 5; count++) await callTool(name, { word: `w${count}` }, { taskId: "T4" });
    const first = (await at.ask("/api/log?taskId=T4&limit=3")).body;
    expect(first.records.map((one: { arguments: { word: string } }) => one.arguments.word)).toEqual([
      "w4",
      "w3",
      "w2",
    ]);
    const rest = (await at.ask(`/api/log?taskId=T4&limit=3&before=${first.next}`)).body;
    expect(rest.records).toHaveLength(2);
    expect(rest.next).toBeUndefined();
    const [{ seq, callId }] = first.records as [{ seq: number; callId: string }];
    for (const id of [seq, callId])
      expect((await at.ask(`/api/log/${id}`)).body).toMatchObject({ seq, callId });
    expect((await at.ask("/api/log/none")).status).toBe(404);
    expect((await at.ask("/api/log?outcome=odd")).status).toBe(400);
    expect((await at.post("/api/log/verify")).body).toMatchObject({ ok: true });
  });

  it("runs a task again on a copy", async () => {
    expect((await at.post("/api/log/replay", { taskId: "T4" })).body).toMatchObject({
      taskId: "T4",
      same: true,
    });
    expect((await at.post("/api/log/replay", { taskId: "none" })).status).toBe(404);
  });
});

describe("the rest", () => {
  it("tells about itself, the plan, the memory and the metrics", async () => {
    expect((await at.ask("/api/about")).body).toMatchObject({
      workspace: at.workspace,
      mode: "ask",
      toolset: "all",
      sandbox: { held: expect.any(Boolean) },
    });
    await callTool("create_task", { id: "TASK-1", title: "Try", description: "" });
    await callTool("save_insight", { title: "Seen", content: "It works." });
    for (const one of (await at.ask("/api/approvals")).body)
      await at.post(`/api/approvals/${one.id}`, { verdict: "no" });
    expect((await at.ask("/api/plan")).body).toMatchObject({ tasks: [{ id: "TASK-1", status: "pending" }] });
    expect((await at.ask("/api/memories?query=works")).body).toMatchObject([
      { title: "Seen", kind: "insight" },
    ]);
    await at.tenon.call({ name: "base64_decode", arguments: { text: "not base64" } });
    const metrics = (await at.ask("/api/metrics")).body;
    const rowOf = (tool: string) => metrics.tools.find((row: { tool: string }) => row.tool === tool);
    expect(rowOf("base64_decode")).toMatchObject({ failures: 1, results: { calls: 0 }, resultTokens: 0 });
    expect(rowOf(name)).toMatchObject({
      // While it was switched off.
      failures: 1,
      calls: expect.any(Number),
      definitionTokens: expect.any(Number),
      resultTokens: expect.any(Number),
    });
    expect(rowOf(name).resultTokens).toBeGreaterThan(0);
    expect(metrics.total.calls).toBe(sum(metrics.tools.map((row: { calls: number }) => row.calls)));
    expect(metrics.host.memoryBytes).toBeGreaterThan(0);
    const { body: series } = await at.ask("/api/metrics/series?minutes=5");
    expect(series).toMatchObject({ widthMs: 10_000, time: { length: 30 }, p50Ms: { length: 30 } });
    // All calls of this file ended in the last minutes, some of them maybe since the first question.
    expect(sum(series.calls)).toBeGreaterThanOrEqual(metrics.total.calls);
    const { text, headers } = await at.ask("/metrics");
    expect(headers["content-type"]).toContain("text/plain");
    expect(text).toContain("tenon_tool_calls_total");
    expect((await at.ask("/api/mcp-servers")).body).toEqual([]);
    expect((await at.ask("/api/plugins")).body).toEqual([]);
  });

  it("says how to get the console where it is not built", async () => {
    expect((await at.ask("/")).text).toContain("npm run build");
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
