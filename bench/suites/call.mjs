// One call through the whole path, against what others do with the same tool.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { createTenon, defineTool } from "../../dist/index.js";
import { compare, printGoal, printTable } from "../measure.mjs";

const input = z.object({
  text: z.string(),
  times: z.number(),
  loud: z.boolean(),
  tag: z.string().optional(),
});
const args = { text: "hello", times: 2, loud: true, tag: "x" };
const execute = async ({ text, times }) => ({ text, times });

export async function run() {
  const root = mkdtempSync(join(tmpdir(), "tenon-bench-"));
  const open = (tools) =>
    createTenon({
      workspace: root,
      config: { stateDir: `${root}-state` },
      tools,
      recorders: [countingRecorder()],
    });
  const echo = defineEcho("echo");
  const tenon = open([echo]);
  const many = open([echo, ...Array.from({ length: 10_000 }, (_, at) => defineEcho(`tool_${at}`))]);
  for (const one of [tenon, many]) one.on("TOOL_CALL_COMPLETED", () => {});
  const ajv = compileAjv();
  const contenders = {
    "bare function": () => execute(args),
    Zod: () => execute(input.parse(args)),
    ajv: () => (ajv(args) ? execute(args) : undefined),
    Tenon: () => tenon.call({ name: "echo", arguments: args }),
    "Tenon, 10,000 tools": () => many.call({ name: "echo", arguments: args }),
    "MCP SDK in memory": await openMcp(),
    "LangChain tool": await openLangChain(),
    "AI SDK loop": await openAiSdk(),
  };
  const slow = { "MCP SDK in memory": 200, "LangChain tool": 200, "AI SDK loop": 50 };
  const callsPerRound = Object.fromEntries(Object.keys(contenders).map((name) => [name, slow[name] ?? 5000]));
  const results = await compare(contenders, { callsPerRound });
  printTable("One call (echo, four arguments; Tenon with events, metrics and a recorder)", results, "Zod");
  const at = (name) => results.get(name).median;
  console.log();
  printGoal("Tenon, µs at the median", at("Tenon"), 10);
  printGoal("Tenon against the MCP SDK in memory", at("Tenon") / at("MCP SDK in memory"), 1 / 8);
  printGoal("10,000 tools against one", at("Tenon, 10,000 tools") / at("Tenon"), 1.2);
  await Promise.all([tenon.close(), many.close()]);
  rmSync(root, { recursive: true, force: true });
}

function defineEcho(name) {
  return defineTool({
    name,
    description: "Give it back.",
    category: "custom",
    annotations: { readOnly: true },
    input,
    execute,
  });
}

function countingRecorder() {
  let calls = 0;
  return { name: "counter", record: () => void calls++ };
}

function compileAjv() {
  const Ajv = createRequire(import.meta.url)("ajv/dist/2020.js").default;
  return new Ajv().compile(z.toJSONSchema(input));
}

async function openMcp() {
  const { McpServer, InMemoryTransport } = await import("@modelcontextprotocol/server");
  const { Client } = await import("@modelcontextprotocol/client");
  const server = new McpServer({ name: "bench", version: "1" });
  server.registerTool("echo", { description: "Give it back.", inputSchema: input }, async (given) => ({
    content: [{ type: "text", text: JSON.stringify(await execute(given)) }],
  }));
  const client = new Client({ name: "bench", version: "1" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return () => client.callTool({ name: "echo", arguments: args });
}

async function openLangChain() {
  const { tool } = await import("@langchain/core/tools");
  const echo = tool(execute, { name: "echo", description: "Give it back.", schema: input });
  return () => echo.invoke(args);
}

async function openAiSdk() {
  const { generateText, tool } = await import("ai");
  const { MockLanguageModelV3 } = await import("ai/test");
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const model = new MockLanguageModelV3({
    doGenerate: async () => ({
      content: [{ type: "tool-call", toolCallId: "1", toolName: "echo", input: JSON.stringify(args) }],
      finishReason: { unified: "tool-calls", raw: "tool-calls" },
      usage,
      warnings: [],
    }),
  });
  const tools = { echo: tool({ description: "Give it back.", inputSchema: input, execute }) };
  return () => generateText({ model, tools, prompt: "x" });
}
