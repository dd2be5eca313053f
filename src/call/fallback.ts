import type { ToolError } from "../contract/errors.js";
import type { Call, Outcome } from "./call.js";
import { toErrorInfo } from "./failure.js";

/** What says that the tool, not the caller, is at fault. */
const recoverable = new Set([
  "ToolUnavailableError",
  "ToolTimeoutError",
  "ToolExecutionError",
  "ToolInternalError",
]);

/**
 * Where a tool that names a fallback could not answer, call that one in its place, with
 * all checks; if it cannot answer either, the first error stands.
 */
export async function answerByFallback(call: Call, error: ToolError): Promise<Outcome> {
  const fallback = recoverable.has(error.name) ? fallbackOf(call) : undefined;
  if (fallback === undefined || call.aborted?.name === "ToolCancelledError") return { call, error };
  // This call's own time is over; the one that stands in has its own.
  call.stopClock();
  const request = {
    name: fallback,
    arguments: call.plainInput ?? call.rawArguments,
    ...(call.taskId !== undefined && { taskId: call.taskId }),
    ...(call.requestedPriority !== undefined && { priority: call.requestedPriority }),
    ...(call.requestedTimeoutMs !== undefined && { timeoutMs: call.requestedTimeoutMs }),
  };
  const standIn = await call.parts.run(request, { ...call.origin, fallbackFor: call });
  call.heir = undefined;
  if (!standIn.success) return { call, error: call.aborted ?? error };
  call.note({ answeredBy: standIn.toolName, fallbackReason: call.parts.redact(toErrorInfo(error).message) });
  if (standIn.metadata.untrusted === true) call.note({ untrusted: true });
  return { call, result: standIn.result, standIn };
}

/** The tool that stands in, unless it is one that has failed already on the way here. */
function fallbackOf(call: Call): string | undefined {
  const { registry } = call.parts;
  const fallback = toolOf(call)?.fallback;
  const standIn = fallback === undefined ? undefined : registry.get(fallback);
  if (standIn === undefined) return undefined;
  for (let failed: Call | undefined = call; failed !== undefined; failed = failed.origin.fallbackFor) {
    if (toolOf(failed)?.name === standIn.name) return undefined;
  }
  return fallback;
}

function toolOf(call: Call) {
  return call.entry?.tool ?? call.parts.registry.get(call.toolName);
}
