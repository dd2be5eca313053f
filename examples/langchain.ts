// LangChain with a native tool, one of Tenon and one of your own; a message with a model's calls is recorded here.
import assert from "node:assert/strict";
import { AIMessage } from "@langchain/core/messages";
import { createTenon, defineTool, toLangChainTools } from "tenon";
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
const tools = await toLangChainTools(tenon.createSession()); // for model.bindTools(tools)

const answer = new AIMessage({
  content: "",
  tool_calls: [
    { id: "c1", type: "tool_call", name: "greet", args: { who: "Ada" } },
    { id: "c2", type: "tool_call", name: "base64_encode", args: { text: "hi" } },
    { id: "c3", type: "tool_call", name: "bash", args: { command: "echo from the shell" } },
  ],
});
const results = await Promise.all(
  (answer.tool_calls ?? []).map(async (call) => tools.find(({ name }) => name === call.name)?.invoke(call)),
);
assert.match(JSON.stringify(results[0]), /Hello, Ada/);
assert.match(JSON.stringify(results[1]), /aGk=/);
assert.match(JSON.stringify(results[2]), /from the shell/);
await tenon.close();
