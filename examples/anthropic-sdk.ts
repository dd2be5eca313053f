// The Anthropic SDK with a native tool, one of Tenon and one of your own. A small server stands in for Anthropic here; with the real
// one, leave `baseURL` out.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { createTenon, defineTool, readToolCalls, toToolMessages } from "tenon";
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
  config: { database: ":memory:", tools: { native: ["anthropic"] } },
});
const session = tenon.createSession();

const recorded = [
  {
    stop_reason: "tool_use",
    content: [
      { type: "text", text: "I greet her." },
      { type: "tool_use", id: "c1", name: "greet", input: { who: "Ada" } },
      { type: "tool_use", id: "c2", name: "base64_encode", input: { txt: "hi" } },
      {
        type: "tool_use",
        id: "c3",
        name: "str_replace_based_edit_tool",
        input: { command: "view", path: "LICENSE", view_range: [1, 3] },
      },
    ],
  },
  { stop_reason: "end_turn", content: [{ type: "text", text: "Done." }] },
];
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      usage: {},
      ...recorded.shift(),
    }),
  );
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const client = new Anthropic({
  apiKey: "none",
  baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
});

const tools = session.toLLMTools("anthropic");
const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Greet Ada." }];
const ask = () =>
  client.messages.create({ model: "m", max_tokens: 1000, messages, tools: tools.tools as never });
const message = await ask();
const { calls, failures } = readToolCalls("anthropic", message, tools);
const answers = toToolMessages("anthropic", [...(await session.callMany(calls)), ...failures], tools);
messages.push({ role: "assistant", content: message.content }, ...(answers as never[]));
assert.match(JSON.stringify(answers), /"tool_use_id":"c1".*Hello, Ada/);
assert.match(JSON.stringify(answers), /"tool_use_id":"c2".*ARGUMENTS_INVALID.*"is_error":true/);
assert.match(JSON.stringify(answers), /"tool_use_id":"c3".*MIT License/);
assert.deepEqual(
  tools.tools.find(({ name }) => name === "str_replace_based_edit_tool"),
  { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
);
const [last] = (await ask()).content;
assert.equal(last?.type === "text" && last.text, "Done.");
await tenon.close();
server.close();
