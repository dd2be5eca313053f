import type { SandboxAccess } from "../contract/ports/upstream.js";
import type { ServerView } from "../mcp/gateway/gateway-types.js";
import type { Terminal } from "./command-line.js";
import { colorsFor, shortenLine } from "./output.js";
import { toVisibleLine, toVisibleText } from "../text/visible-text.js";
import { plural } from "../text/plural.js";

export function showServers(terminal: Terminal, servers: readonly ServerView[]): void {
  if (servers.length === 0) {
    terminal.stdout.write(
      "No MCP servers are configured. Add one with: tenon mcp-servers add NAME -- COMMAND …\n",
    );
    return;
  }
  for (const server of servers) terminal.stdout.write(`${describe(server)}\n`);
  const failed = servers.some(({ state }) => state === "failed");
  if (failed)
    terminal.stderr.write(`${colorsFor(terminal.stderr, terminal.env).yellow("Some servers failed.")}\n`);
}

export function showServer(terminal: Terminal, server: ServerView): void {
  const tools = server.tools.map(
    ({ name, description }) => `  ${toVisibleLine(name)}: ${shortenLine(toVisibleText(description), 100)}`,
  );
  const logLines = server.log.map((line) => `  > ${toVisibleLine(line)}`);
  terminal.stdout.write(`${[describe(server), ...tools, ...logLines].join("\n")}\n`);
}

/** Warnings about definitions that wait for consent. */
export function warningsOf(held: ServerView["held"]): readonly string[] {
  return held.flatMap(({ tool, diff, warnings }) => [
    ...(/^\+.*\\u\{/m.test(diff) ? [`${tool}: the change contains invisible characters`] : []),
    ...warnings.map((warning) => `${tool}: ${warning}`),
  ]);
}

/** Whether a program runs in the sandbox, and what it may use there. */
function describeAccess({ name, sandbox }: ServerView): string[] {
  if (sandbox === undefined) return [];
  if (sandbox === false) return [`  outside the sandbox; to move it in: tenon mcp-servers sandbox ${name}`];
  return [`  in the sandbox; ${accessText(sandbox)}`];
}

/** What a program may use in the sandbox, in words. */
function accessText({ network = false, readable = [], writable = [] }: SandboxAccess): string {
  const hosts = network === true ? ["all public hosts"] : network === false ? [] : network;
  const parts = [
    ...(hosts.length > 0 ? [`reaches ${hosts.join(", ")}`] : []),
    ...(readable.length > 0 ? [`reads ${readable.join(", ")}`] : []),
    ...(writable.length > 0 ? [`writes ${writable.join(", ")}`] : []),
  ];
  return parts.join("; ") || "uses only its own folder";
}

function describe(server: ServerView): string {
  const { name, state, protocol, tools, held, refused, faults, target } = server;
  const counts = [
    plural(tools.length, "tool"),
    ...(held.length > 0 ? [`${held.length} held`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ];
  const lines = [
    `${name}  ${state}${protocol === undefined ? "" : `  ${protocol}`}  ${counts.join(", ")}  ${target}`,
    ...describeAccess(server),
    ...(state === "failed" && server.fault !== undefined ? [`  failed: ${server.fault}`] : []),
    ...faults
      .filter(({ message }) => message !== server.fault || state !== "failed")
      .map(({ message, count }) => `  fault: ${message}${count > 1 ? ` (${count} times)` : ""}`),
    ...held.map(
      ({ tool, reason, warnings }) => `  held: ${[`${tool}: ${reason}`, ...warnings].join("; it ")}`,
    ),
    ...refused.map(({ tool, reason }) => `  refused: ${tool}: ${reason}`),
    ...tools.flatMap((tool) => tool.warnings.map((warning) => `  warning: ${tool.name}: ${warning}`)),
  ];
  return lines.map(toVisibleLine).join("\n");
}
