import type { CallMetadata, ToolEnvelope } from "../contract/call.js";
import type { ErrorInfo, ToolError } from "../contract/errors.js";
import type { LoopAdvice } from "./advise-on.js";
import { Envelope } from "./envelope.js";
import { toErrorInfo } from "./failure.js";
import type { Outcome } from "./outcome.js";
import type { ReceivedCall } from "./receive.js";
import { renderError, renderResult } from "./render.js";

/** Turn the outcome into the envelope, with the text for the model within its budget. */
export function respond(outcome: Outcome): ToolEnvelope {
  const { call, result, standIn } = outcome;
  const { state } = call;
  const { clock, redact } = state.parts;
  const error = outcome.error === undefined ? undefined : redact(toShownError(outcome.error, outcome.advice));
  // A call that succeeded read the clock when its tool was done.
  const endedAt = error === undefined && standIn === undefined ? state.executionEnded : undefined;
  return new Envelope({
    callId: call.callId,
    toolName: state.resolved?.entry.name ?? call.toolName,
    result,
    error,
    startedAt: state.startedAt,
    durationMs: Math.max(0, (endedAt ?? clock.monotonic()) - state.startedMonotonic),
    metadata: metadataOf(call),
    render: () => {
      if (error !== undefined) return renderError(call, error);
      return standIn?.content ?? renderResult(call, result);
    },
  });
}

/** The error's own hint, then the advice about its repetition. */
function toShownError(error: ToolError, advice: LoopAdvice | undefined): ErrorInfo {
  const info = toErrorInfo(error);
  if (advice === undefined) return info;
  const hint = info.hint === undefined ? advice.hint : `${info.hint} ${advice.hint}`;
  return { ...info, hint, details: { ...info.details, ...advice.details } };
}

function metadataOf({ state, taskId, requestId, shownUnder }: ReceivedCall): CallMetadata {
  const { session, resolved, decision, ticket, attempts, notes } = state;
  const { clientInfo } = session;
  const metadata: CallMetadata = { sessionId: session.id, agent: session.agent };
  if (clientInfo !== undefined) metadata.client = clientInfo;
  if (resolved !== undefined) metadata.version = resolved.entry.version;
  if (taskId !== undefined) metadata.taskId = taskId;
  if (shownUnder !== undefined) metadata.parentCallId = shownUnder.callId;
  if (requestId !== undefined) metadata.requestId = requestId;
  if (decision !== undefined) metadata.decision = decision;
  if (ticket !== undefined) metadata.waitedMs = ticket.waitedMs;
  if (attempts > 1) metadata.attempts = attempts;
  if (state.untrusted) metadata.untrusted = true;
  return notes === undefined ? metadata : Object.assign(metadata, notes);
}
