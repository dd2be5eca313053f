import { tool as langChainTool } from "@langchain/core/tools";
import { generateText, stepCountIs, type ToolSet } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createTenon } from "../../runtime/create-tenon.js";
import { defineTool } from "../../contract/define-tool.js";
import { createTestContext } from "../../test-kit/create-test-context.js";
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
type Calls = readonly (readonly [id: string, args: string])[];
const parallel = {
  "openai-chat": (calls: Calls) => ({
    tool_calls: calls.map(([id, args]) => ({
      id,
      type: "function",
      function: { name: "own__greet", arguments: args },
    })),
  }),
  "openai-responses": (calls: Calls) =>
    calls.map(([id, args]) => ({ type: "function_call", call_id: id, name: "own__greet", arguments: args })),
  anthropic: (calls: Calls) => ({
    content: calls.map(([id, input]) => ({ type: "tool_use", id, name: "own__greet", input })),
  }),
  gemini: (calls: Calls) => ({
    parts: calls.map(([id, args]) => ({ functionCall: { id, name: "own__greet", args } })),
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

  it("refuses the message of another provider, and anything but its own definitions and answers", () => {
    const message = { role: "assistant", content: [{ type: "tool_use", id: "1", name: "t", input: {} }] };
    expect(() => readToolCalls("openai-chat", message)).toThrow(/format "anthropic", not "openai-chat"/);
    expect(() => readToolCalls("anthropic", message, [] as never)).toThrow(/session.toLLMTools/);
    for (const answers of [{}, [{ foo: 1 }], [undefined]])
      expect(() => toToolMessages("openai-chat", answers as never)).toThrow(/expects an array/);
    const { failures } = readToolCalls("anthropic", { content: [{ type: "odd_use", id: "2" }] });
    expect(failures[0]?.error.hint).toBe("Call one of the functions that are defined.");
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

  it.each(formats)(
    "of %s keeps the good calls beside a bad one, and calls whose ids repeat",
    async (format) => {
      const tenon = open();
      const session = tenon.createSession();
      const tools = session.toLLMTools(format);
      const message = parallel[format]([
        ["call_0", good],
        ["call_0", '{"who":"Bob"}'],
        ["c3", '{"who'],
      ]);
      const { calls, failures } = readToolCalls(format, message, tools);
      const answers = await session.callMany(calls);
      expect(answers.map(({ result }) => result)).toEqual([{ text: "Hello, Ada" }, { text: "Hello, Bob" }]);
      expect(new Set(answers.map(({ callId }) => callId)).size).toBe(2);
      const told = JSON.stringify(toToolMessages(format, [...answers, ...failures], tools));
      expect(told.match(/"(?:call_0|c3)"/g)).toEqual(['"call_0"', '"call_0"', '"c3"']);
      expect(told).toMatch(/Hello, Ada.*Hello, Bob.*REQUEST_INVALID.*line 1, column 6/);
      await tenon.close();
    },
  );

  it.each([
    ["openai-chat", { tool_calls: [{ id: "c", type: "hologram" }] }],
    ["openai-responses", { output: [{ type: "hologram_call", call_id: "c" }] }],
    ["anthropic", { content: [{ type: "hologram_use", id: "c" }] }],
    ["gemini", { parts: [{ hologramCall: { id: "c", type: "hologram" } }] }],
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

describe("native tools over the responses API", () => {
  const answerOf = async (item: object, config: object = {}) => {
    const ctx = await createTestContext({
      files: { "a.txt": "one\n" },
      config: { tools: { native: ["openai"] }, ...config },
    });
    const tools = ctx.session.toLLMTools("openai-responses");
    const { calls, failures } = readToolCalls("openai-responses", { output: [item] }, tools);
    const answers = await ctx.session.callMany(calls);
    const [message] = toToolMessages("openai-responses", [...answers, ...failures], tools);
    await ctx.close();
    return message;
  };

  it("runs shell calls and answers with their items, refusals too", async () => {
    const action = { commands: ["cat a.txt", "exit 3"], timeout_ms: null, max_output_length: 100 };
    const call = { type: "shell_call", id: "sh_1", call_id: "c1", status: "completed", action };
    expect(await answerOf(call)).toEqual({
      type: "shell_call_output",
      call_id: "c1",
      output: [
        { stdout: "one\n", stderr: "", outcome: { type: "exit", exit_code: 0 } },
        { stdout: "", stderr: "", outcome: { type: "exit", exit_code: 3 } },
      ],
      max_output_length: 100,
    });
    const refused = await answerOf(call, { policy: { rules: [{ decision: "deny", tool: "shell_exec" }] } });
    expect(refused).toMatchObject({
      type: "shell_call_output",
      output: [{ stdout: "", stderr: /denied/i, outcome: { type: "exit", exit_code: 1 } }].map((each) => ({
        ...each,
        stderr: expect.stringMatching(each.stderr) as string,
      })),
    });
  });

  it("applies patches and says whether they failed", async () => {
    const call = (path: string) => ({
      type: "apply_patch_call",
      call_id: "c1",
      operation: { type: "update_file", path, diff: "@@\n-one\n+two\n" },
    });
    expect(await answerOf(call("a.txt"))).toMatchObject({
      type: "apply_patch_call_output",
      call_id: "c1",
      status: "completed",
    });
    expect(await answerOf(call("b.txt"))).toMatchObject({
      type: "apply_patch_call_output",
      status: "failed",
      output: expect.stringContaining("b.txt") as string,
    });
  });

  it("answers calls of tools that take free text with their own items", async () => {
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n";
    const call = (input: string) => ({ type: "custom_tool_call", call_id: "c1", name: "apply_patch", input });
    for (const [input, said] of [
      [patch, "Edited a.txt"],
      ["nothing", "Begin Patch"],
    ] as const) {
      expect(await answerOf(call(input))).toEqual({
        type: "custom_tool_call_output",
        call_id: "c1",
        output: expect.stringContaining(said) as string,
      });
    }
  });

  it("runs local shell calls as a line, in their folder and with their variables", async () => {
    const call = (command: unknown) => ({
      type: "local_shell_call",
      id: "l1",
      call_id: "c1",
      action: { type: "exec", command, env: { A: "x y" }, timeout_ms: 5000, working_directory: null },
    });
    const outputOf = async (command: unknown): Promise<unknown> => {
      const { type, id, output } = (await answerOf(call(command))) as Record<string, string>;
      expect([type, id]).toEqual(["local_shell_call_output", "c1"]);
      return JSON.parse(output ?? "");
    };
    expect(await outputOf(["bash", "-lc", 'echo "$A" && cat a.txt'])).toEqual({
      stdout: "x y\none\n",
      stderr: "",
      exit_code: 0,
    });
    expect(await outputOf(["printf", "%s|", "it's", "$A"])).toMatchObject({ stdout: "it's|$A|" });
    for (const wrong of [[], "ls", [1], undefined])
      expect(await outputOf(wrong)).toEqual({ error: expect.stringContaining("no command") as string });
  });

  it("leaves what OpenAI runs in its own containers alone", () => {
    const environment = { type: "container_reference", container_id: "k" };
    const call = { type: "shell_call", call_id: "c1", environment, action: { commands: ["ls"] } };
    expect(readToolCalls("openai-responses", [call])).toEqual({ calls: [], failures: [] });
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
