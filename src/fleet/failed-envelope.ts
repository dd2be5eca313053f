import type { ToolEnvelope } from "../contract/call.js";
import type { ErrorInfo } from "../contract/errors.js";

/** The answer of a call that no tool answered. */
export function failedEnvelope({
  callId,
  toolName,
  sessionId,
  error,
}: {
  readonly callId: string;
  readonly toolName: string;
  readonly sessionId: string;
  readonly error: ErrorInfo;
}): ToolEnvelope {
  const { code, message, hint } = error;
  const text = hint === undefined ? `${code}: ${message}` : `${code}: ${message} ${hint}`;
  return {
    callId,
    toolName,
    success: false,
    error,
    startedAt: 0,
    completedAt: 0,
    durationMs: 0,
    metadata: { sessionId },
    content: [{ type: "text", text }],
  };
}
