import { ToolUnavailableError } from "../contract/errors.js";

/** Why a tool cannot be used now. */
export interface Block {
  readonly code: "TOOL_DISABLED" | "TOOL_UNHEALTHY";
  /** Completes "Tool x …". */
  readonly reason: string;
  /** When it may be tried again, in Unix milliseconds, where that is known. */
  readonly availableAt?: number;
}

/** The error of a call that met a block. */
export function toUnavailable(toolName: string, block: Block, now: number): ToolUnavailableError {
  const { code, reason, availableAt } = block;
  return new ToolUnavailableError(`Tool "${toolName}" ${reason}.`, {
    code,
    toolName,
    retryable: code === "TOOL_UNHEALTHY",
    hint: hintFor(block, now),
    ...(availableAt !== undefined && { details: { availableAt } }),
  });
}

function hintFor({ code, availableAt }: Block, now: number): string {
  if (availableAt !== undefined && availableAt > now) {
    const seconds = Math.ceil((availableAt - now) / 1000);
    return `It is tried again at ${new Date(availableAt).toISOString()}, in ${seconds} s; use another tool until then.`;
  }
  if (code === "TOOL_UNHEALTHY") return "Call again in a moment, or use another tool.";
  return "Use another tool, or ask a person to enable it.";
}
