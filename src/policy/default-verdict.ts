import type { Facet } from "./facets.js";
import type { PolicyCall, PolicyCommand } from "./policy-call.js";
import type { Traits } from "./traits.js";
import type { Verdict } from "./judge-facet.js";

/** The modes of the policy. */
export const policyModes = ["read-only", "ask", "auto", "unattended"] as const;

/** How the policy decides where no rule matches. */
export type PolicyMode = (typeof policyModes)[number];

/** The verdict on what no rule matches: by the tool's nature, and by what `auto` mode lets through. */
export function defaultVerdict(
  facet: Facet,
  call: PolicyCall,
  context: { traits: Traits; mode: PolicyMode },
): Verdict {
  const { traits, mode } = context;
  if (facet.kind === "command") return commandVerdict(facet.command, mode);
  if (facet.kind === "host") return traits.dangerous ? dangerous : openWorld;
  if (facet.kind === "path" && facet.write) {
    if (mode === "auto" && call.commands !== undefined && isHeld(call.commands)) return autoSandbox;
    return mode === "auto" && facet.view.inside && changesFilesOnly(call, traits) ? autoWorkspace : dangerous;
  }
  if (traits.dangerous)
    return mode === "auto" && isPlainFileCall(facet, call, traits) ? autoWorkspace : dangerous;
  if (traits.openWorld) return openWorld;
  return traits.readOnly ? readOnly : ownState;
}

function commandVerdict(command: Extract<Facet, { kind: "command" }>["command"], mode: PolicyMode): Verdict {
  if (command.known && command.readOnly && command.sandboxed !== false) return readOnlyCommand;
  if (mode === "auto" && command.sandboxed === true) return autoSandbox;
  if (!command.known)
    return command.why === undefined ? unknownCommand : { ...unknownCommand, why: command.why };
  return command.readOnly ? unheldCommand : anyCommand;
}

/** Whether the sandbox contains all commands of the call, so that they cannot write outside the workspace. */
function isHeld(commands: readonly PolicyCommand[]): boolean {
  return commands.length > 0 && commands.every(({ sandboxed }) => sandboxed === true);
}

/** Tools of these kinds do more than the paths they name. */
const farther = new Set<string>(["code", "mcp", "network"]);

function changesFilesOnly(call: PolicyCall, traits: Traits): boolean {
  return !traits.openWorld && !farther.has(call.category);
}

/** What a file change reads, or a file tool that names no path, such as an undo. */
function isPlainFileCall(facet: Facet, call: PolicyCall, traits: Traits): boolean {
  if (!changesFilesOnly(call, traits)) return false;
  if (call.category === "file") return true;
  return facet.kind === "path" && call.writes.some((resource) => "path" in resource || "tree" in resource);
}

const builtIn = (name: string, behavior: Verdict["behavior"], why: string): Verdict =>
  Object.freeze({ behavior, rule: `built-in:${name}`, source: "built-in", why });

const readOnly = builtIn("read-only", "allow", "it only reads");
const ownState = builtIn("own-state", "allow", "it changes nothing outside Tenon");
const openWorld = builtIn(
  "open-world",
  "ask",
  "it sends requests to other machines, which can carry data out",
);
const dangerous = builtIn("dangerous", "ask", "it changes files, runs commands or sends data out");
const readOnlyCommand = builtIn("read-only-command", "allow", "the command only reads");
const anyCommand = builtIn("command", "ask", "the command is not known to be harmless");
const unheldCommand = builtIn("command", "ask", "the command only reads, but no sandbox is available");
const unknownCommand = builtIn("command", "ask", "what the command does is not known until it runs");
const autoWorkspace = builtIn(
  "auto-workspace",
  "allow",
  "in auto mode, files in the workspace may be changed",
);
const autoSandbox = builtIn("auto-sandbox", "allow", "in auto mode, sandboxed commands may run");
