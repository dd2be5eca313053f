import { ToolResourceNotFoundError } from "../../contract/errors.js";
import { homedir } from "node:os";
import { hostIds, hostSnippet, hostSnippets, type HostSnippet } from "../../mcp/host-snippets.js";
import { createMcpHost } from "../../runtime/mcp-host/create-mcp-host.js";
import { openOptions } from "../../runtime/options.js";
import { addCommand, type AddCommand, type CommonFlags } from "../command-line.js";
import { withTenon, type OpenTenon } from "../open-tenon.js";
import { table, writeResult } from "../output.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { oneOf } from "../whole-number.js";

interface EndpointFlags extends CommonFlags {
  readonly host?: string;
  readonly url?: string;
}

/** `tenon endpoints`: MCP endpoints with their own selection of tools. */
export const addEndpoints: AddCommand = (program, terminal) => {
  const endpoints = program
    .command("endpoints")
    .description("Inspect the MCP endpoints of `tenon serve` (/mcp/NAME)");
  const withHost = (usage: string, description: string) =>
    addCommand(endpoints, usage, description)
      .option("--host <name>", `print only what to configure in this host: ${hostIds.join(", ")}`)
      .option("--url <url>", "address of the server, if it is not on this machine");
  withHost("list", "List the configured endpoints").action((flags: EndpointFlags) =>
    withTenon(terminal, flags, (open) => list(open, flags)),
  );
  withHost(
    "try <name>",
    "Show what a host that connects to an endpoint sees, and how to configure it",
  ).action((name: string, flags: EndpointFlags) =>
    withTenon(terminal, flags, (open) => tryOne(open, name, flags)),
  );
};

async function list(open: OpenTenon, flags: EndpointFlags): Promise<void> {
  const { endpoints } = open.tenon.config;
  const server = await addressOf(open, flags);
  if (flags.host !== undefined) {
    const snippets = Object.keys(endpoints).flatMap((name) => snippetsFor(name, server, flags));
    return writeResult(open, snippets, () => snippets.map(({ text }) => text.trimEnd()).join("\n\n"));
  }
  const rows = Object.entries(endpoints).map(([name, { toolset, servers, prompts, native, listing }]) => [
    `${server}/mcp/${name}`,
    toolset === undefined ? "" : `toolset ${toolset}`,
    servers === undefined ? "all servers" : `servers ${servers.join(", ") || "none"}`,
    prompts === undefined ? "" : `prompts ${prompts.join(", ") || "none"}`,
    native === undefined ? "" : `native ${native.join(", ") || "none"}`,
    listing === undefined ? "" : `listing ${listing}`,
  ]);
  const none = "No endpoints. Add them to the configuration under `endpoints`.";
  writeResult(open, endpoints, () =>
    rows.length === 0
      ? none
      : table(
          rows.map((row) => row.map((cell) => toVisibleLine(cell))),
          { width: open.terminal.stdout.columns },
        ),
  );
}

/** The server of this workspace that runs, else where one would listen. */
async function addressOf({ loaded, terminal }: OpenTenon, { url }: EndpointFlags): Promise<string> {
  if (url !== undefined) return url.replace(/\/+$/, "");
  const { stateDir, workspace } = openOptions({ loaded, env: terminal.env, home: homedir() });
  const { openServerRecords } = await import("../../server/index.js");
  return openServerRecords(stateDir, workspace).list()[0]?.url ?? "http://127.0.0.1:7420";
}

function snippetsFor(endpoint: string, server: string, { host }: EndpointFlags): readonly HostSnippet[] {
  const options = { name: `tenon-${endpoint}`, connection: { url: `${server}/mcp/${endpoint}` } };
  return host === undefined ? hostSnippets(options) : [hostSnippet(oneOf("--host", host, hostIds), options)];
}

async function tryOne(open: OpenTenon, name: string, flags: EndpointFlags): Promise<void> {
  const { endpoints } = open.tenon.config;
  const offered = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
  if (offered === undefined)
    throw new ToolResourceNotFoundError(`Endpoint "${name}" not found.`, {
      hint: `Configured: ${Object.keys(endpoints).join(", ") || "none"}.`,
    });
  const snippets = snippetsFor(name, await addressOf(open, flags), flags);
  if (flags.host !== undefined)
    return writeResult(open, snippets[0], () => snippets.map(({ text }) => text.trimEnd()).join(""));
  await open.tenon.ready();
  const session = createMcpHost(open.tenon).openSession({ ...offered, endpoint: name });
  const tools = await session.tools();
  const prompts = await session.prompts().list(open.terminal.interrupted);
  await session.close();
  const found = {
    tools: tools.map((tool) => tool.name),
    prompts: prompts.map((prompt) => prompt.name),
    hosts: snippets,
  };
  const rows = [
    ...tools.map((tool) => ["tool", tool.name, firstSentence(tool.description)]),
    ...prompts.map((prompt) => ["prompt", prompt.name, firstSentence(prompt.title)]),
  ];
  writeResult(open, found, () =>
    [table(rows, { width: open.terminal.stdout.columns }), ...snippets.map(snippetText)].join("\n\n"),
  );
}

function snippetText({ title, file, projectFile, text, note }: HostSnippet): string {
  const files = projectFile === undefined ? file : `${file} or ${projectFile}`;
  return [`${title} (${files})`, ...(note === undefined ? [] : [note]), "", text.trimEnd()].join("\n");
}

function firstSentence(text = ""): string {
  const [sentence = ""] = toVisibleLine(text).split(/(?<=\.) /u);
  return sentence.length > 100 ? `${sentence.slice(0, 99)}…` : sentence;
}
