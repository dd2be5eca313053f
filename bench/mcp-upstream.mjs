// A plain MCP server on standard streams with so many tools: `echo`, and others of the usual size.
import { createInterface } from "node:readline";

const count = Number(process.argv[2] ?? 1);
const field = (about) => ({ type: "string", description: about });
const inputSchema = {
  type: "object",
  properties: {
    text: field("What to answer with."),
    path: field("Where it is."),
    mode: field("How it is done."),
  },
  required: ["text"],
};
const description = "Does one thing with the text that it is given and answers with it. ".repeat(4).trim();
const tools = Array.from({ length: count }, (_, at) => ({
  name: at === 0 ? "echo" : `tool_${at}`,
  description,
  inputSchema,
}));
const info = { capabilities: { tools: {} }, serverInfo: { name: "bench", version: "1" } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, ...info }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ arguments: given }) => ({ content: [{ type: "text", text: given.text }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = Object.hasOwn(answers, method) ? { result: answers[method](params) } : undefined;
  const error = { code: -32601, message: `Method not found: ${method}` };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...(answer ?? { error }) })}\n`);
});
