import { tool as langChainTool } from "@langchain/core/tools";
import { generateText, stepCountIs, type ToolSet } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTenon } from "../../runtime/create-tenon.js";
import { defineTool } from "../../contract/define-tool.js";
import { readToolCalls } from "./read-tool-calls.js";
import { toToolMessages } from "./to-tool-messages.js";
import { toAiSdkTools } from "./to-ai-sdk-tools.js";
import { toLangChainTools } from "./to-lang-chain-tools.js";

const greet = defineTool({
  name: "own:greet",
  description: "Greet someone.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ who: z.string() }),
  execute: ({ who }) => ({ text: `Hello, ${who}` }),
  render: ({ text }) => text,
});
const open = () => createTenon({ tools: [greet], config: { database: ":memory:" } });
const good = '{"who":"Ada"}';

const messages = {
  "openai-chat": (args: unknown, id = "c1") => ({
    choices: [
      {
        message: {
          role: "assistant",
          tool_calls: [{ id, type: "function", function: { name: "own__greet", arguments: args } }],
        },
      },
    ],
  }),
  "openai-responses": (args: unknown, id = "c1") => ({
    output: [
      { type: "reasoning" },
      { type: "web_search_call", id: "w" },
      { type: "function_call", call_id: id, name: "own__greet", arguments: args },
    ],
  }),
  anthropic: (args: unknown, id = "c1") => ({
    content: [
      { type: "text", text: "Hm." },
      { type: "server_tool_use", id: "s" },
      { type: "tool_use", id, name: "own__greet", input: args },
    ],
  }),
  gemini: (args: unknown, id = "c1") => ({
    candidates: [
      { content: { parts: [{ text: "Hm." }, { functionCall: { id, name: "own__greet", args } }] } },
    ],
  }),
};
const formats = Object.keys(messages) as (keyof typeof messages)[];

describe("a round trip", () => {
  const answersIn = {
    "openai-chat": [{ role: "tool", tool_call_id: "c1", content: "Hello, Ada" }],
    "openai-responses": [{ type: "function_call_output", call_id: "c1", output: "Hello, Ada" }],
    anthropic: [
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "Hello, Ada" }] },
        ],
      },
    ],
    gemini: [
      {
        role: "user",
        parts: [{ functionResponse: { id: "c1", name: "own__greet", response: { output: "Hello, Ada" } } }],
      },
    ],
  };
  it.each(formats)("of %s leads from the message to the answer", async (format) => {
    const tenon = open();
    const session = tenon.createSession();
    const tools = session.toLLMTools(format);
    const { calls, failures } = readToolCalls(format, messages[format](good), tools);
    expect(failures).toEqual([]);
    expect(calls).toEqual([{ id: "c1", name: "own:greet", arguments: { who: "Ada" } }]);
    expect(toToolMessages(format, await session.callMany(calls), tools)).toEqual(answersIn[format]);
    await tenon.close();
  });

  it.each(formats)("of %s says where broken JSON breaks, and answers it as an error", (format) => {
    const { calls, failures } = readToolCalls(format, messages[format]('{"who": "Ada", "x": }'));
    expect(calls).toEqual([]);
    expect(failures[0]?.error.message).toMatch(/own__greet.*line 1, column 21.*near/);
    expect(JSON.stringify(toToolMessages(format, failures))).toContain("column 21");
    expect(JSON.stringify(toToolMessages(format, failures))).toContain("c1");
  });

  it.each(formats)("of %s takes arguments that are left out, and refuses what is not an object", (format) => {
    for (const empty of ["", null, {}])
      expect(readToolCalls(format, messages[format](empty)).calls[0]?.arguments).toEqual({});
    for (const wrong of ["[1]", "7", "null", 3])
      expect(readToolCalls(format, messages[format](wrong)).failures[0]?.error.message).toContain(
        "expected a JSON object",
      );
  });

  it.each(formats)("of %s reads nothing from anything else", (format) => {
    for (const other of [
      undefined,
      null,
      3,
      "text",
      [],
      {},
      { choices: 3 },
      { output: "x" },
      { content: "text" },
      { candidates: [null] },
    ])
      expect(readToolCalls(format, other)).toEqual({ calls: [], failures: [] });
  });

  it("keeps the good calls beside a bad one, and calls whose ids repeat", async () => {
    const tenon = open();
    const call = (id: string, args: string) => ({
      id,
      type: "function",
      function: { name: "own__greet", arguments: args },
    });
    const message = {
      tool_calls: [call("call_0", good), call("call_0", '{"who":"Bob"}'), call("c3", '{"who')],
    };
    const session = tenon.createSession();
    const tools = session.toLLMTools("openai-chat");
    const { calls, failures } = readToolCalls("openai-chat", message, tools);
    const answers = toToolMessages("openai-chat", [...(await session.callMany(calls)), ...failures], tools);
    expect(answers.map(({ tool_call_id: id, content }) => [id, content])).toEqual([
      ["call_0", "Hello, Ada"],
      ["call_0", "Hello, Bob"],
      ["c3", expect.stringMatching(/^REQUEST_INVALID/)],
    ]);
    await tenon.close();
  });

  it.each([
    ["openai-chat", { tool_calls: [{ id: "c", type: "hologram" }] }],
    ["openai-responses", { output: [{ type: "hologram_call", call_id: "c" }] }],
    ["anthropic", { content: [{ type: "hologram_use", id: "c" }] }],
  ] as const)("of %s answers a call of an unknown type", (format, message) => {
    const { failures } = readToolCalls(format, message);
    expect(failures[0]?.error.message).toMatch(/unknown type "hologram/);
    expect(toToolMessages(format, failures)).toHaveLength(1);
  });

  it("names the nearest format, and an answer that belongs to no call", async () => {
    expect(() => readToolCalls("openai-chats" as never, {})).toThrow('Did you mean "openai-chat"?');
    const tenon = open();
    const answer = await tenon.call(greet, { who: "Ada" });
    expect(() => toToolMessages("anthropic", [answer])).toThrow("pass the id");
    await tenon.close();
  });
});

describe("definitions", () => {
  it.each(formats)("for %s can be changed by an SDK without harm", async (format) => {
    const tenon = open();
    const session = tenon.createSession();
    const before = JSON.stringify(session.toLLMTools(format).tools);
    const scribble = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      for (const item of Object.values(value)) scribble(item);
      if (!Array.isArray(value)) (value as Record<string, unknown>)["added"] = true;
    };
    scribble(session.toLLMTools(format).tools);
    expect(JSON.stringify(session.toLLMTools(format).tools)).toBe(before);
    await tenon.close();
  });
});

describe("tools for other libraries", () => {
  it("run in the AI SDK, failures too", async () => {
    const tenon = open();
    const asked: unknown[] = [];
    const turn = (content: object[], reason: string) => ({
      content,
      finishReason: { unified: reason, raw: reason },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    });
    const call = (toolCallId: string, input: string) => ({
      type: "tool-call",
      toolCallId,
      toolName: "own__greet",
      input,
    });
    const turns = [
      turn([call("c1", good), call("c2", '{"whom":"Ada"}')], "tool-calls"),
      turn([{ type: "text", text: "Done." }], "stop"),
    ];
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        asked.push(prompt.at(-1));
        return turns.shift() as never;
      },
    });
    const tools: ToolSet = toAiSdkTools(tenon.createSession());
    const { text } = await generateText({ model, prompt: "Greet Ada.", tools, stopWhen: stepCountIs(3) });
    expect(text).toBe("Done.");
    expect(JSON.stringify(asked[1])).toContain("Hello, Ada");
    expect(JSON.stringify(asked[1])).toContain("ARGUMENTS_INVALID");
    await tenon.close();
  });

  it("run in LangChain", async () => {
    const tenon = open();
    const tools = await toLangChainTools(tenon.createSession());
    const made = tools.find(({ name }) => name === "own__greet");
    expect(made?.constructor).toBe(
      langChainTool(async () => "", { name: "x", description: "X.", schema: z.object({}) }).constructor,
    );
    const message = await made?.invoke({
      type: "tool_call",
      id: "c1",
      name: "own__greet",
      args: { who: "Ada" },
    });
    expect(message).toMatchObject({ content: "Hello, Ada", tool_call_id: "c1" });
    await expect(made?.invoke({ who: 3 })).rejects.toThrow(/schema/);
    await tenon.close();
  });
});
