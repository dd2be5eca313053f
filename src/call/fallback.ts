import type { ToolError } from "../contract/errors.js";
import type { Call, Outcome } from "./call.js";

/** What says that the tool, not the caller, is at fault. */
const recoverable = new Set(["ToolUnavailableError", "ToolTimeoutError", "ToolExecutionError", "ToolInternalError"]);

/**
 * Where a tool that names a fallback could not answer, call that one in its place, with
 * all checks; if it cannot answer either, the first error stands.
 */
export async function answerByFallback(call: Call, error: ToolError): Promise<Outcome> {
  const fallback = recoverable.has(error.name) ? fallbackOf(call) : undefined;
  if (fallback === undefined || call.aborted?.name === "ToolCancelledError") return { call, error };
  const request = {
    name: fallback,
    arguments: call.input ?? call.rawArguments,
    ...(call.taskId !== undefined && { taskId: call.taskId }),
  };
  const answer = await call.parts.run(request, { ...call.origin, fallbackFor: call });
  if (!answer.success) return { call, error };
  call.note({ answeredBy: answer.toolName, fallbackReason: error.message });
  return { call, result: answer.result };
}

function fallbackOf(call: Call): string | undefined {
  const tool = call.entry?.tool ?? call.parts.registry.get(call.toolName);
  return tool?.fallback;
}
