// An MCP server over stdio with as many tools as its argument says.
import { createInterface } from "node:readline";

const [count = "1"] = process.argv.slice(2);
const tools = Array.from({ length: Number(count) }, (_, at) => ({
  name: `tool_${at}`,
  description: `Does the thing number ${at}, and nothing else, as well as it can.`,
  inputSchema: { type: "object", properties: { text: { type: "string" }, count: { type: "integer" } } },
}));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "wide", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": () => ({ content: [{ type: "text", text: "done" }] }),
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
