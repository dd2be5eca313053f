// The OpenAI SDK with a native tool, one of Tenon and one of your own, over the chat API and the responses API. A small server
// stands in for OpenAI here; with the real one, leave `baseURL` out.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import OpenAI from "openai";
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
  interact: { approve: () => true },
  config: { database: ":memory:", tools: { native: ["openai"] } },
});
const session = tenon.createSession();

const wanted = [
  { name: "base64_encode", arguments: '{"text":"hi"}' },
  { name: "greet", arguments: '{"who":"Ada"}' },
  { name: "greet", arguments: '{"who":' },
];
const commands = ["echo from the shell"];
const recorded = [
  {
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [...wanted, { name: "shell", arguments: JSON.stringify({ commands }) }].map(
            (call, at) => ({
              id: `c${at}`,
              type: "function",
              function: call,
            }),
          ),
        },
      },
    ],
  },
  { choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Done." } }] },
  {
    object: "response",
    output: [
      ...wanted.map((call, at) => ({ type: "function_call", id: `f${at}`, call_id: `c${at}`, ...call })),
      // The responses API knows the tool: its calls and answers are items of their own.
      {
        type: "shell_call",
        id: "s",
        call_id: "c3",
        action: { commands, timeout_ms: null, max_output_length: null },
      },
    ],
  },
  {
    object: "response",
    output: [
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Done.", annotations: [] }],
      },
    ],
  },
];
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ id: "r", created: 0, model: "m", ...recorded.shift() }));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const client = new OpenAI({ apiKey: "none", baseURL });

// The chat API.
const chat = session.toLLMTools("openai-chat");
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Greet Ada." }];
const ask = () => client.chat.completions.create({ model: "m", messages, tools: chat.tools as never });
const completion = await ask();
const read = readToolCalls("openai-chat", completion, chat);
const answers = toToolMessages(
  "openai-chat",
  [...(await session.callMany(read.calls)), ...read.failures],
  chat,
);
messages.push(completion.choices[0]!.message, ...(answers as never[]));
assert.deepEqual(
  answers.map(({ tool_call_id: id }) => id),
  ["c0", "c1", "c3", "c2"],
);
assert.match(String(answers[0]?.["content"]), /aGk=/);
assert.match(String(answers[1]?.["content"]), /Hello, Ada/);
assert.match(String(answers[2]?.["content"]), /from the shell/);
assert.match(String(answers[3]?.["content"]), /line 1, column 8/); // broken JSON is answered, not run
assert.equal((await ask()).choices[0]?.message.content, "Done.");

// The responses API.
const tools = session.toLLMTools("openai-responses");
const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Greet Ada." }];
const respond = () => client.responses.create({ model: "m", input, tools: tools.tools as never });
const response = await respond();
const { calls, failures } = readToolCalls("openai-responses", response, tools);
const outputs = toToolMessages("openai-responses", [...(await session.callMany(calls)), ...failures], tools);
input.push(...(response.output as never[]), ...(outputs as never[]));
assert.match(String(outputs[1]?.["output"]), /Hello, Ada/);
assert.deepEqual(outputs[2], {
  type: "shell_call_output",
  call_id: "c3",
  output: [{ stdout: "from the shell\n", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
});
assert.equal((await respond()).output_text, "Done.");

await tenon.close();
server.close();
