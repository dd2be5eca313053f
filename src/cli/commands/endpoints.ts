import { createMcpHost } from "../../runtime/mcp-host/create-mcp-host.js";
import { addCommand, UsageError, type AddCommand, type CommonFlags } from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { table, writeResult } from "../output.js";
import { toVisibleLine } from "../../text/visible-text.js";

/** `tenon endpoints`: MCP endpoints with their own selection of tools. */
export const addEndpoints: AddCommand = (program, terminal) => {
  const endpoints = program
    .command("endpoints")
    .description("Inspect the MCP endpoints of `tenon serve` (/mcp/NAME)");
  addCommand(endpoints, "list", "List the configured endpoints").action((flags: CommonFlags) =>
    withTenon(terminal, flags, async (open) => list(open)),
  );
  addCommand(endpoints, "try <name>", "Show what a host that connects to an endpoint sees").action(
    (name: string, flags: CommonFlags) => withTenon(terminal, flags, (open) => tryOne(open, name)),
  );
};

function list(open: OpenTenon): void {
  const { endpoints } = open.tenon.config;
  const rows = Object.entries(endpoints).map(([name, { toolset, servers, prompts, native, listing }]) => [
    `/mcp/${name}`,
    toolset === undefined ? "" : `toolset ${toolset}`,
    servers === undefined ? "all servers" : `servers ${servers.join(", ") || "none"}`,
    prompts === undefined ? "" : `prompts ${prompts.join(", ") || "none"}`,
    native === undefined ? "" : `native ${native.join(", ") || "none"}`,
    listing === undefined ? "" : `listing ${listing}`,
  ]);
  const none = "No endpoints. Add them to the configuration under `endpoints`.";
  writeResult(open, endpoints, () =>
    rows.length === 0 ? none : table(rows.map((row) => row.map((cell) => toVisibleLine(cell)))),
  );
}

async function tryOne(open: OpenTenon, name: string): Promise<void> {
  const { endpoints } = open.tenon.config;
  const offered = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
  if (offered === undefined)
    throw new UsageError(
      `Endpoint "${name}" not found (configured: ${Object.keys(endpoints).join(", ") || "none"}).`,
    );
  await open.tenon.ready();
  const session = createMcpHost(open.tenon).openSession({ ...offered, endpoint: name });
  const tools = await session.tools();
  const prompts = await session.prompts().list(open.terminal.interrupted);
  await session.close();
  const found = { tools: tools.map((tool) => tool.name), prompts: prompts.map((prompt) => prompt.name) };
  const rows = [
    ...tools.map((tool) => ["tool", tool.name, firstSentence(tool.description)]),
    ...prompts.map((prompt) => ["prompt", prompt.name, firstSentence(prompt.title)]),
  ];
  writeResult(open, found, () => table(rows));
}

function firstSentence(text = ""): string {
  const [sentence = ""] = toVisibleLine(text).split(/(?<=\.) /u);
  return sentence.length > 100 ? `${sentence.slice(0, 99)}…` : sentence;
}
