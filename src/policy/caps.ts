import type { AccessDecision } from "../contract/call.js";
import type { SecurityLevel } from "../contract/tool.js";
import { isShell } from "./facets.js";
import type { PolicyCall } from "./policy-call.js";
import { printable } from "./printable.js";
import { isAbove, levelOf, type Traits } from "./traits.js";

/** What an agent was granted; `*` stands for all of them. */
export type GrantTable = (agent: string) => ReadonlySet<string>;

/** Read the grants: one list for all agents, or a list per agent, with `*` for every agent. */
export function toGrants(
  capabilities: readonly string[] | Readonly<Record<string, readonly string[]>> = [],
): GrantTable {
  if (isList(capabilities)) {
    const all = new Set(capabilities);
    return () => all;
  }
  const common = capabilities["*"] ?? [];
  const table = new Map(
    Object.entries(capabilities).map(([agent, list]) => [agent, new Set([...common, ...list])]),
  );
  const others = new Set(common);
  return (agent) => table.get(agent) ?? others;
}

export interface CapOptions {
  readonly grants: GrantTable;
  readonly securityLevel: SecurityLevel;
}

/** The limits that no rule lifts and that only depend on the tool and the agent. */
export function capOnTool(
  call: PolicyCall,
  { grants, securityLevel }: CapOptions,
): AccessDecision | undefined {
  const missing = missingCapabilities(call, grants);
  const agent = printable(call.agent, 100);
  if (missing.length > 0) {
    const names = missing.map((name) => printable(name, 100)).join(", ");
    return denial("capability", {
      source: "capabilities",
      code: "CAPABILITY_MISSING",
      reason: `${call.toolName} requires the capability ${names}, which the agent ${agent} was not granted`,
      hint: `Grant ${names} to the agent ${agent} in the configuration (capabilities), or use another tool.`,
      liftedBy: { setting: "capabilities", value: [...grants(call.agent), ...missing] },
    });
  }
  const level = levelOf(call);
  if (!isAbove(level, securityLevel)) return undefined;
  return denial("security-level", {
    source: "securityLevel",
    code: "SECURITY_LEVEL",
    reason: `${call.toolName} has the security level ${printable(level, 40)}, and no tool above ${securityLevel} may run`,
    hint: "Raise securityLevel in the configuration if this tool should run.",
    liftedBy: { setting: "securityLevel", value: level },
  });
}

/** In read-only mode nothing runs that changes anything, whatever the rules say. */
export function capByMode(call: PolicyCall, traits: Traits): AccessDecision | undefined {
  if (onlyReads(call, traits)) return undefined;
  if (!writesFiles(call) && runsReadersOnly(call)) return undefined;
  return denial("mode:read-only", {
    source: "mode",
    code: "ACCESS_DENIED",
    reason: `${call.toolName} does more than read, and the mode is read-only`,
    hint: "Read instead, or let a person start Tenon in another mode.",
    liftedBy: { setting: "mode", value: "auto" },
  });
}

/** A viewer only reads, whatever the rules say. It runs no commands: the sandbox is read-only only where the mode is. */
export function capByRole(call: PolicyCall, traits: Traits): AccessDecision | undefined {
  if (onlyReads(call, traits)) return undefined;
  return denial("role:viewer", {
    source: "role",
    code: "ACCESS_DENIED",
    reason: `${call.toolName} does more than read, and a viewer may only read`,
    hint: "Read instead, or let an admin give this user the role operator.",
  });
}

function onlyReads(call: PolicyCall, traits: Traits): boolean {
  return traits.readOnly && !traits.dangerous && !writesFiles(call);
}

function writesFiles({ writes }: PolicyCall): boolean {
  return writes.some((resource) => "path" in resource || "tree" in resource);
}

/** The line is proved to only read, and the sandbox keeps it to that: it sees the workspace read-only, without network. */
function runsReadersOnly({ commands = [], changes = [] }: PolicyCall): boolean {
  if (commands.length === 0 || changes.length > 0) return false;
  return commands.every(({ known, readOnly, sandboxed }) => known && readOnly && sandboxed === true);
}

/** If only some commands are allowed, no other command runs, and none that is unknown until it runs. */
export function capByCommands(call: PolicyCall, allowed: ReadonlySet<string>): AccessDecision | undefined {
  if (!isShell(call)) return undefined;
  const { commands = [] } = call;
  const opaque = commands.length === 0 && call.annotations.dangerous === true;
  const others = commands.filter(({ words }) => !allowed.has(programOf(words[0] ?? "")));
  if (!opaque && others.length === 0) return undefined;
  const [name] = others[0]?.words ?? [];
  const shown =
    name === undefined ? "a command that is not known until it runs" : `the command ${printable(name, 100)}`;
  return denial("allowed-commands", {
    source: "tools.allowedCommands",
    code: "ACCESS_DENIED",
    reason: `${call.toolName} would run ${shown}, and only these may run: ${printable([...allowed].join(", "), 300)}`,
    hint: "Use one of the allowed commands, or let a person add this one to tools.allowedCommands.",
    ...(!opaque && {
      liftedBy: {
        setting: "tools.allowedCommands",
        value: [...allowed, ...new Set(others.map(({ words }) => programOf(words[0] ?? "")))],
      },
    }),
  });
}

/** A program of the system counts by its name, one of the workspace only by its path. */
function programOf(word: string): string {
  return /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(word) ? word.slice(word.lastIndexOf("/") + 1) : word;
}

function missingCapabilities({ capabilities = [], agent }: PolicyCall, grants: GrantTable): string[] {
  if (capabilities.length === 0) return [];
  const granted = grants(agent);
  return granted.has("*") ? [] : capabilities.filter((name) => !granted.has(name));
}

function denial(rule: string, rest: Omit<AccessDecision, "behavior" | "rule">): AccessDecision {
  return Object.freeze({ behavior: "deny", rule, ...rest });
}

function isList(
  value: readonly string[] | Readonly<Record<string, readonly string[]>>,
): value is readonly string[] {
  return Array.isArray(value);
}
