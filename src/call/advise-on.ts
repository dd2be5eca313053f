import type { ToolError } from "../contract/errors.js";
import { visibleTo } from "./catalogue.js";
import type { ReceivedCall } from "./receive.js";

/** Advice about a call that fails again and again. */
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

/** Say what was tried and what to try instead. */
export function adviseOn(call: ReceivedCall, error: ToolError | undefined, tries: Tries): LoopAdvice {
  const { count, firstAt, lastAt } = tries;
  // A forbidden call must not be tried with another tool.
  const alternatives = isForbidden(error) ? [] : alternativesTo(call);
  const others = alternatives.length === 0 ? "" : ` Other tools: ${alternatives.join(", ")}.`;
  const soon = error?.retryable === true ? " at once" : "";
  return {
    hint: `The same call with the same arguments failed ${count} times in the same way; repeating it${soon} will not help. ${hintFor(error)}${others}`,
    details: { repeated: { count, firstAt, lastAt, alternatives } },
  };
}

function hintFor(error: ToolError | undefined): string {
  if (isForbidden(error)) return "Do without it, or ask the person for permission.";
  const { code = "", name = "" } = error ?? {};
  if (name === "ToolValidationError" && code.startsWith("ARGUMENTS")) {
    return "Look up its arguments with describe_tool and send valid ones.";
  }
  if (/^(?:EDIT|FILE|PATCH|DIFF)_/.test(code)) {
    return "Read the file again and start from its current content.";
  }
  if (name === "ToolResourceNotFoundError") return "List what exists before naming it again.";
  if (name === "ToolTimeoutError") return "Do less in one call, or pass a larger time limit.";
  if (name === "ToolUnavailableError") return "Continue with something else and try again later.";
  return "Change the arguments, change what the call reads, or use another approach.";
}

function isForbidden(error: ToolError | undefined): boolean {
  return error?.name === "ToolPermissionError" || error?.name === "ToolSecurityError";
}

const maxAlternatives = 3;

/** The tool's own fallback, then others of its kind that the agent can see. */
function alternativesTo(call: ReceivedCall): string[] {
  const { parts, resolved } = call.state;
  if (resolved === undefined) return [];
  const { tool } = resolved.entry;
  const toolset = visibleTo(call.state);
  const visible = parts.registry.list(toolset === undefined ? {} : { toolset });
  const kin = visible.filter(
    ({ name, category, annotations }) =>
      name !== tool.name &&
      category === tool.category &&
      (annotations?.readOnly === true) === (tool.annotations?.readOnly === true),
  );
  const names = [...(tool.fallback === undefined ? [] : [tool.fallback]), ...kin.map(({ name }) => name)];
  return [...new Set(names)].slice(0, maxAlternatives);
}
