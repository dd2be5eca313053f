import type { ToolError } from "../contract/errors.js";
import type { Call } from "./call.js";
import { visibleTo } from "./catalogue.js";

/** What is said of a call that fails again and again. */
export interface LoopAdvice {
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** How often it failed, and since when. */
interface Tries {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Say what was tried and what else could be. */
export function adviseOn(call: Call, error: ToolError | undefined, tries: Tries): LoopAdvice {
  const { count, firstAt, lastAt } = tries;
  // What was forbidden must not be sought by another door.
  const alternatives = isForbidden(error) ? [] : alternativesTo(call);
  const others = alternatives.length === 0 ? "" : ` Other tools: ${alternatives.join(", ")}.`;
  return {
    hint: `The same call with the same arguments failed ${count} times in this way; once more will not help. ${wayOut(error)}${others}`,
    details: { repeated: { count, firstAt, lastAt, alternatives } },
  };
}

function wayOut(error: ToolError | undefined): string {
  if (isForbidden(error)) return "Do without it, or ask the person for leave.";
  const { code = "", name = "" } = error ?? {};
  if (name === "ToolValidationError" && code.startsWith("ARGUMENTS")) {
    return "Look up its arguments with describe_tool and send others.";
  }
  if (/^(?:EDIT|FILE|PATCH|DIFF)_/.test(code)) {
    return "Read the file again and begin from what it says now.";
  }
  if (name === "ToolResourceNotFoundError") return "Look what there is before naming it again.";
  if (name === "ToolTimeoutError") return "Do less in one call, or pass a larger time limit.";
  if (name === "ToolUnavailableError") return "Go on with something else and come back to it later.";
  return "Change the arguments, change what the call reads, or take another way.";
}

function isForbidden(error: ToolError | undefined): boolean {
  return error?.name === "ToolPermissionError" || error?.name === "ToolSecurityError";
}

const mostAlternatives = 3;

/** The tool's own fallback, then others of its kind that the agent can see. */
function alternativesTo(call: Call): string[] {
  const { tool } = call.entry ?? {};
  if (tool === undefined) return [];
  const toolset = visibleTo(call);
  const visible = call.parts.registry.list(toolset === undefined ? {} : { toolset });
  const kin = visible.filter(
    ({ name, category, annotations }) =>
      name !== tool.name &&
      category === tool.category &&
      (annotations?.readOnly === true) === (tool.annotations?.readOnly === true),
  );
  const names = [...(tool.fallback === undefined ? [] : [tool.fallback]), ...kin.map(({ name }) => name)];
  return [...new Set(names)].slice(0, mostAlternatives);
}
