import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { afterAll, describe, expect, it } from "vitest";
import type { ToolContext } from "../contract/context.js";
import { defineTool } from "../contract/define-tool.js";
import type { ToolEnvelope, ToolRequest } from "../contract/call.js";
import { createTenon } from "../runtime/create-tenon.js";

const root = mkdtempSync(join(tmpdir(), "tenon-receive-"));
const echo = defineTool({
  name: "echo",
  description: "Say it again.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ text: z.string().default("none") }),
  execute: ({ text }) => ({ text }),
});
const again = defineTool({
  name: "again",
  description: "Call itself until it is refused.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ left: z.number() }),
  execute: async ({ left }, ctx) => {
    if (left === 0) return { depth: 0 };
    const inner = await ctx.call({ name: "again", arguments: { left: left - 1 } });
    if (!inner.success) return { refused: inner.error };
    return inner.result as object;
  },
});
const stopping: { late: (ctx: ToolContext) => Promise<void> } = { late: async () => {} };
const late = defineTool({
  name: "late",
  description: "Do what the test wants.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({}),
  execute: (_, ctx) => stopping.late(ctx),
});
const tenon = createTenon({
  workspace: root,
  config: {
    stateDir: join(root, "state"),
    mode: "auto",
  },
  tools: [echo, again, late],
});

afterAll(async () => {
  await tenon.close();
  rmSync(root, { recursive: true, force: true });
});

const send = (request: unknown): Promise<ToolEnvelope> => tenon.call(request as ToolRequest);

async function refusal(request: unknown) {
  const answer = await send(request);
  return answer.success ? `success ${JSON.stringify(answer.result)}` : answer.error;
}

describe("a request", () => {
  const hint = "Send { name, arguments }, each field with the type that the message names.";

  it.each<[unknown, string]>([
    [undefined, "the request must be an object { name, arguments }, got undefined"],
    [null, "the request must be an object { name, arguments }, got null"],
    ["", '"name" must be the name of a tool, got an empty string'],
    [7, "the request must be an object { name, arguments }, got 7"],
    [{}, '"name" must be the name of a tool, got undefined'],
    [{ name: "" }, '"name" must be the name of a tool, got an empty string'],
    [{ name: ["echo"] }, '"name" must be the name of a tool, got an array'],
    [{ name: { a: 1 } }, '"name" must be the name of a tool, got object'],
    [{ name: "echo", id: 1 }, '"id" must be a string, got 1'],
    [{ name: "echo", id: "x".repeat(257) }, '"id" has more than 256 characters'],
    [{ name: "echo", taskId: null }, '"taskId" must be a string, got null'],
    [{ name: "echo", taskId: "x".repeat(257) }, '"taskId" has more than 256 characters'],
    [{ name: "echo", idempotencyKey: "" }, '"idempotencyKey" must be a string of 1 to 256 characters'],
    [
      { name: "echo", idempotencyKey: "x".repeat(257) },
      '"idempotencyKey" must be a string of 1 to 256 characters',
    ],
    [
      { name: "echo", arguments: { text: "1" }, idempotencyKey: "a\0" },
      '"idempotencyKey" must be a string of 1 to 256 characters',
    ],
    [
      { name: "echo", arguments: { text: "2" }, idempotencyKey: "a\ud800" },
      '"idempotencyKey" must be a string of 1 to 256 characters',
    ],
    [{ name: "echo", priority: Number.NaN }, '"priority" must be a finite number, got NaN'],
    [{ name: "echo", priority: "1" }, '"priority" must be a finite number, got string'],
    [{ name: "echo", timeoutMs: 0 }, '"timeoutMs" must be a finite number above 0, got 0'],
    [{ name: "echo", timeoutMs: -1 }, '"timeoutMs" must be a finite number above 0, got -1'],
    [{ name: "echo", timeoutMs: Infinity }, '"timeoutMs" must be a finite number above 0, got Infinity'],
    [{ name: "echo", timeoutMs: "9" }, '"timeoutMs" must be a finite number above 0, got string'],
    [{ name: "echo", signal: {} }, '"signal" must be an AbortSignal, got object'],
    [
      { name: "echo", signal: Object.create(AbortSignal.prototype) },
      '"signal" must be an AbortSignal, got object',
    ],
  ])("is refused with what is wrong (%#)", async (request, message) => {
    expect(await refusal(request)).toEqual({
      type: "ToolValidationError",
      code: "REQUEST_INVALID",
      message: `Invalid request: ${message}.`,
      hint,
      retryable: false,
    });
  });

  it("that cannot be read is refused", async () => {
    const request = {
      get name(): string {
        throw new Error("mine");
      },
    };
    expect(await refusal(request)).toMatchObject({
      code: "REQUEST_INVALID",
      message: "Invalid request: the request could not be read.",
    });
  });

  it.each([
    ["args", "arguments"],
    ["input", "arguments"],
    ["params", "arguments"],
    ["parameters", "arguments"],
    ["tool", "name"],
    ["toolName", "name"],
    ["callId", "id"],
    ["toolCallId", "id"],
    ["timeout", "timeoutMs"],
    ["abortSignal", "signal"],
    ["task_id", "taskId"],
  ])("with the field %j is refused with the name %j for it", async (key, meant) => {
    const error = await refusal({ name: "echo", [key]: "x" });
    expect(error).toMatchObject({
      code: "REQUEST_INVALID",
      message: `Invalid request: unknown field "${key}".`,
      hint: expect.stringContaining(`"${meant}"`),
    });
  });

  it("with a field that nobody knows is refused, with the start of its name", async () => {
    const error = await refusal({ name: "echo", [`${"x".repeat(256)}y`]: 1, constructor: 2 });
    expect(error).toMatchObject({ message: `Invalid request: unknown field "${"x".repeat(256)}".` });
    expect(await refusal({ name: "echo", constructor: 2 })).toMatchObject({
      message: 'Invalid request: unknown field "constructor".',
    });
  });

  it.each([
    { id: "x".repeat(256) },
    { id: "" },
    { taskId: "x".repeat(256) },
    { idempotencyKey: "x".repeat(256) },
    { priority: -1.5 },
    { timeoutMs: 2 ** 40 },
    { timeoutMs: 60_000.5 },
    { signal: new AbortController().signal },
    { arguments: undefined },
    { arguments: { text: "none" } },
  ])("just within its limits is answered (%#)", async (fields) => {
    const answer = await send({ name: "echo", ...fields });
    expect(answer).toSucceed({ result: { text: "none" } });
  });

  it("is recorded with what is known of it, also where it is refused", async () => {
    const answer = await send({
      name: `${"n".repeat(300)}\ud800`,
      id: "mine",
      taskId: "task",
      priority: "high",
    });
    expect(answer).toFailWith("REQUEST_INVALID");
    expect(answer.toolName).toBe("n".repeat(256));
    expect(answer.metadata).toMatchObject({ requestId: "mine", taskId: "task", agent: "default" });
    expect(answer.metadata).not.toHaveProperty("version");
    expect(answer.metadata).not.toHaveProperty("decision");
    expect(answer).not.toHaveProperty("result");
  });

  it("with a signal that was aborted before is cancelled before it begins", async () => {
    const answer = await send({ name: "echo", signal: AbortSignal.abort() });
    expect(answer).toFailWith("CANCELLED");
    expect(answer.success ? undefined : answer.error.message).toBe("The call was cancelled before it began.");
  });

  it("that is refused would be so where it is only explained, too", async () => {
    const { decision, reason } = await tenon.createSession().explain({ name: "echo", timeoutMs: -1 });
    expect(decision).toBe("deny");
    expect(reason).toContain('"timeoutMs" must be a finite number above 0, got -1');
  });

  it("with arguments that are not plain data is refused by their tool", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(await refusal({ name: "echo", arguments: circular })).toMatchObject({
      type: "ToolValidationError",
      code: "ARGUMENTS_UNSAFE",
      message: expect.stringMatching(/^Invalid arguments for "echo": /u),
      hint: "Correct every argument that is named and call again.",
      details: { issues: [expect.objectContaining({ message: expect.any(String) })] },
    });
  });
});

describe("an answer", () => {
  it("says what it is, with nothing that is not known", async () => {
    const before = Date.now();
    const answer = await send({ name: "echo", arguments: { text: "hi" } });
    expect(JSON.parse(JSON.stringify(answer))).toEqual({
      callId: expect.stringMatching(/^call_/u),
      toolName: "echo",
      success: true,
      result: { text: "hi" },
      startedAt: expect.any(Number),
      completedAt: answer.startedAt + Math.round(answer.durationMs),
      durationMs: expect.any(Number),
      content: [{ type: "text", text: '{"text":"hi"}' }],
      metadata: {
        sessionId: expect.any(String),
        agent: "default",
        version: "1.0.0",
        waitedMs: expect.any(Number),
        decision: expect.objectContaining({ behavior: "allow", rule: "built-in:read-only" }),
      },
    });
    expect(answer.startedAt).toBeGreaterThanOrEqual(before - 1);
    expect(answer.durationMs).toBeGreaterThan(0);
    expect(answer.content).toBe(answer.content);
  });
});

describe("a call that has been stopped", () => {
  it("tells its tool at once, also where that asks to be told only then", async () => {
    const stop = new AbortController();
    const told: unknown[] = [];
    stopping.late = async (ctx) => {
      stop.abort();
      const forget = ctx.onStop?.((reason) => void told.push((reason as { code?: string }).code));
      forget?.();
      told.push(typeof forget);
    };
    expect(await send({ name: "late", signal: stop.signal })).toFailWith("CANCELLED");
    expect(told).toEqual(["CANCELLED", "function"]);
  });
});

describe("calls within calls", () => {
  it("go 32 deep and no deeper", async () => {
    expect(await send({ name: "again", arguments: { left: 32 } })).toSucceed({ result: { depth: 0 } });
    expect(await send({ name: "again", arguments: { left: 33 } })).toSucceed({
      result: {
        refused: {
          type: "ToolUnavailableError",
          code: "QUEUE_FULL",
          message: "Calls are nested more than 32 deep.",
          hint: "A tool calls itself, directly or through others; end the recursion.",
          retryable: false,
        },
      },
    });
  });
});

describe("a runtime that is closed", () => {
  it("refuses calls", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-closed-"));
    const closed = createTenon({
      workspace: folder,
      config: { stateDir: join(folder, "state") },
      tools: [echo],
    });
    await closed.close();
    const answer = await closed.call({ name: "echo" });
    rmSync(folder, { recursive: true, force: true });
    expect(answer.success ? undefined : answer.error).toEqual({
      type: "ToolUnavailableError",
      code: "RUNTIME_CLOSED",
      message: "Tenon is closed.",
      hint: "Create a new Tenon instance.",
      retryable: false,
    });
  });
});
