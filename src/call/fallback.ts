import type { ToolError } from "../contract/errors.js";
import { toErrorInfo } from "./failure.js";
import type { Outcome } from "./outcome.js";
import type { ReceivedCall } from "./receive.js";

/** Errors that mean the tool is at fault, not the caller. */
const recoverable = new Set([
  "ToolUnavailableError",
  "ToolTimeoutError",
  "ToolExecutionError",
  "ToolInternalError",
]);

/**
 * If a tool that names a fallback could not answer, call the fallback in its place, with all checks. If that cannot
 * answer either, the first error stands.
 */
export async function answerByFallback(call: ReceivedCall, error: ToolError): Promise<Outcome> {
  const { state, arguments: sent, taskId, priority, timeoutMs } = call;
  const fallback = recoverable.has(error.name) && sent.ok ? fallbackOf(call) : undefined;
  if (fallback === undefined || state.aborted?.name === "ToolCancelledError") return { call, error };
  // This call's own time is over; the fallback has its own.
  state.stopClock();
  const request = {
    name: fallback,
    arguments: state.validated?.plainInput ?? (sent.ok ? sent.value : undefined),
    ...(taskId !== undefined && { taskId }),
    ...(priority !== undefined && { priority }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const { run, redact } = state.parts;
  const standIn = await run(request, { ...state.origin, fallbackFor: call });
  state.fallbackCall = undefined;
  if (!standIn.success) return { call, error: state.aborted ?? error };
  state.note({ answeredBy: standIn.toolName, fallbackReason: redact(toErrorInfo(error).message) });
  if (standIn.metadata.untrusted === true) state.note({ untrusted: true });
  return { call, result: standIn.result, standIn };
}

/** The tool to call instead, unless it is one that has failed already on the way here. */
function fallbackOf(call: ReceivedCall): string | undefined {
  const fallback = toolOf(call)?.fallback;
  const standIn = fallback === undefined ? undefined : call.state.parts.registry.get(fallback);
  if (standIn === undefined) return undefined;
  for (
    let failed: ReceivedCall | undefined = call;
    failed !== undefined;
    failed = failed.state.origin.fallbackFor
  ) {
    if (toolOf(failed)?.name === standIn.name) return undefined;
  }
  return fallback;
}

function toolOf({ state, toolName }: ReceivedCall) {
  return state.resolved?.entry.tool ?? state.parts.registry.get(toolName);
}
