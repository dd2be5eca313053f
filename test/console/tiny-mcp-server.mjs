// The smallest MCP server there is, over stdio: one tool that says hello, described as a file where it starts says,
// one resource and one prompt.
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const tool = {
  name: "greet",
  description: existsSync("greeting.txt") ? readFileSync("greeting.txt", "utf8") : "Say hello to someone.",
  inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: "tiny", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": ({ arguments: given }) => ({ content: [{ type: "text", text: `Hello, ${given.name}.` }] }),
  "resources/list": () => ({
    resources: [{ uri: "tiny://motto", name: "motto", description: "What it says." }],
  }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, mimeType: "text/plain", text: "Small is enough." }] }),
  "prompts/list": () => ({ prompts: [{ name: "welcome", arguments: [{ name: "who", required: true }] }] }),
  "prompts/get": ({ arguments: { who } }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Welcome ${who} warmly.` } }],
  }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const body =
    answer === undefined ? { error: { code: -32601, message: "unknown" } } : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
}
