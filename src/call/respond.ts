import type { CallMetadata, ToolEnvelope } from "../contract/call.js";
import type { ErrorInfo, ToolError } from "../contract/errors.js";
import type { LoopAdvice } from "./advise-on.js";
import type { Call, Outcome } from "./call.js";
import { Envelope } from "./envelope.js";
import { toErrorInfo } from "./failure.js";
import { renderError, renderResult } from "./render.js";

/** Turn the outcome into the envelope, with the text for the model within its budget. */
export function respond(outcome: Outcome): ToolEnvelope {
  const { call, result, standIn } = outcome;
  const { clock, redact } = call.parts;
  const error = outcome.error === undefined ? undefined : redact(toShownError(outcome.error, outcome.advice));
  // A call that went through in one piece looked at the clock when its tool was done.
  const endedAt = error === undefined && standIn === undefined ? call.executionEnded : undefined;
  return new Envelope({
    callId: call.callId,
    toolName: call.entry?.name ?? call.toolName,
    result,
    error,
    startedAt: call.startedAt,
    durationMs: Math.max(0, (endedAt ?? clock.monotonic()) - call.startedMonotonic),
    metadata: metadataOf(call),
    render: () => {
      if (error !== undefined) return renderError(call, error);
      return standIn?.content ?? renderResult(call, result);
    },
  });
}

/** The error's own hint, then what is said of its coming back. */
function toShownError(error: ToolError, advice: LoopAdvice | undefined): ErrorInfo {
  const info = toErrorInfo(error);
  if (advice === undefined) return info;
  const hint = info.hint === undefined ? advice.hint : `${info.hint} ${advice.hint}`;
  return { ...info, hint, details: { ...info.details, ...advice.details } };
}

function metadataOf(call: Call): CallMetadata {
  const { entry, session, shownUnder, ticket } = call;
  const metadata: CallMetadata = { sessionId: session.id, agent: session.agent };
  if (session.clientInfo !== undefined) metadata.client = session.clientInfo;
  if (entry !== undefined) metadata.version = entry.version;
  if (call.taskId !== undefined) metadata.taskId = call.taskId;
  if (shownUnder !== undefined) metadata.parentCallId = shownUnder.callId;
  if (call.requestId !== undefined) metadata.requestId = call.requestId;
  if (call.decision !== undefined) metadata.decision = call.decision;
  if (ticket !== undefined) metadata.waitedMs = ticket.waitedMs;
  if (call.attempts > 1) metadata.attempts = call.attempts;
  if (call.untrusted) metadata.untrusted = true;
  return call.notes === undefined ? metadata : Object.assign(metadata, call.notes);
}
