// A model at work with Tenon's tools. A small server stands in for the model here; with a real one,
// make `model` with any provider of the AI SDK.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createTenon, runAgent } from "tenon";

const answers = [
  {
    delta: {
      tool_calls: [
        {
          index: 0,
          id: "c1",
          type: "function",
          function: { name: "base64_encode", arguments: '{"text":"hi"}' },
        },
      ],
    },
    finish_reason: "tool_calls",
  },
  { delta: { content: "It is aGk=." }, finish_reason: "stop" },
];
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const choices = [{ index: 0, ...answers.shift() }];
  response.end(`data: ${JSON.stringify({ id: "x", created: 0, model: "m", choices })}\n\ndata: [DONE]\n\n`);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

const tenon = createTenon({ config: { mode: "read-only" } });
const model = createOpenAICompatible({ name: "local", baseURL }).chatModel("m");
const seen: string[] = [];
const { text, stopped, reflection, taskId } = await runAgent(tenon, {
  task: "What is hi in base64?",
  model,
  maxSteps: 5,
  onEvent: (event) => seen.push(event.type),
});
assert.equal(text, "It is aGk=.");
assert.equal(stopped, "done");
assert.equal(reflection.verdict, "complete");
assert.deepEqual((await tenon.task(taskId))?.actionsDone[0]?.result, { encoded: "aGk=" });
assert.deepEqual(seen, ["step", "call", "result", "step", "text"]);
await tenon.close();
server.close();
