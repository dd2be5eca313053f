// The AI SDK with a native tool, one of Tenon and one of your own. A mock stands in for the model.
import assert from "node:assert/strict";
import { generateText, stepCountIs, type ToolSet } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createTenon, defineTool, toAiSdkTools } from "tenon";
import * as z from "zod";

const greet = defineTool({
  name: "greet",
  description: "Greet someone by name.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ who: z.string() }),
  execute: ({ who }) => ({ text: `Hello, ${who}` }),
});
const tenon = createTenon({
  tools: [greet],
  interact: { approve: () => true },
  config: { database: ":memory:", tools: { native: ["anthropic"] } },
});

const call = (toolCallId: string, toolName: string, input: string) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});
const recorded = [
  [
    call("c1", "greet", '{"who":"Ada"}'),
    call("c2", "base64_encode", '{"text":"hi"}'),
    call("c3", "bash", '{"command":"echo from the shell"}'),
  ],
  [{ type: "text", text: "Done." }],
];
const model = new MockLanguageModelV3({
  doGenerate: async () =>
    ({
      content: recorded.shift(),
      finishReason: { unified: recorded.length > 0 ? "tool-calls" : "stop", raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    }) as never,
});

const tools: ToolSet = toAiSdkTools(tenon.createSession());
const { text, steps } = await generateText({ model, prompt: "Greet Ada.", tools, stopWhen: stepCountIs(3) });
assert.equal(text, "Done.");
const [greeting, encoded, printed] = steps[0]?.toolResults.map(({ output }): unknown => output) ?? [];
assert.deepEqual([greeting, encoded], [{ text: "Hello, Ada" }, { encoded: "aGk=" }]);
assert.match(JSON.stringify(printed), /from the shell/);
await tenon.close();
