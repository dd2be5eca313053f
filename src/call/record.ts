import type { ToolEnvelope } from "../contract/call.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { CallOwner, CallRecord, CallStart, Recorder } from "../contract/ports/recorder.js";
import { messageOf } from "../contract/message-of.js";
import type { AuthorisedCall } from "./authorise.js";
import type { CallState } from "./call-state.js";
import type { Outcome } from "./outcome.js";
import type { ReceivedCall } from "./receive.js";
import type { TenonEvent, TenonEvents } from "../contract/events.js";

/** Tell listeners and recorders how the call ended, refusals too; resolves when the records are written. */
export function record(outcome: Outcome, envelope: ToolEnvelope): Promise<void> | undefined {
  const { call, error } = outcome;
  const { started, resolved, parts } = call.state;
  if (!started && error !== undefined) resolved?.settings.meter.refused(error.name);
  announceEnd(call, envelope);
  return parts.recorders.length === 0 ? undefined : recordEnd(call, envelope);
}

/** Record that a call which may change something is about to run; without a record it is refused. */
export function recordStart(call: AuthorisedCall): Promise<void> | undefined {
  if (call.settings.annotations.readOnly === true) return undefined;
  let pending: Promise<void>[] | undefined;
  for (const recorder of call.state.parts.recorders) {
    if (recorder.start === undefined) continue;
    try {
      const writing = recorder.start(toStart(call));
      if (writing === undefined) continue;
      pending ??= [];
      pending.push(Promise.resolve(writing));
    } catch (cause) {
      throw notRecorded(cause);
    }
  }
  if (pending === undefined) return undefined;
  return Promise.all(pending).then(
    () => undefined,
    (cause: unknown) => {
      throw notRecorded(cause);
    },
  );
}

function toStart({ state, entry, validated, decision }: AuthorisedCall): CallStart {
  return {
    callId: validated.received.callId,
    toolName: entry.name,
    version: entry.version,
    startedAt: state.startedAt,
    arguments: validated.input,
    decision,
    approval: state.notes?.approval,
    ...ownerOf(validated.received),
  };
}

/** The refusal of a call that may change something while no record of it can be written. */
export function notRecorded(cause: unknown): ToolUnavailableError {
  return new ToolUnavailableError(
    `Nothing was done: a call that may change something runs only where it can be recorded. ${messageOf(cause)}`,
    {
      code: "AUDIT_UNAVAILABLE",
      hint: "Make room on the disk or make the state directory writable, and call again; `tenon doctor` shows the fault.",
      cause,
    },
  );
}

function ownerOf({ state, taskId, requestId, shownUnder }: ReceivedCall): CallOwner {
  const { session } = state;
  return {
    sessionId: session.id,
    taskId,
    agent: session.agent,
    userId: session.userId,
    parentCallId: shownUnder?.callId,
    requestId,
    principal: session.principal,
    client: session.clientInfo,
  };
}

/** Tell listeners how the call ended. */
export function announceEnd(call: ReceivedCall, envelope: ToolEnvelope): void {
  const { durationMs, error, result } = envelope;
  if (error === undefined) {
    announce(call, "TOOL_CALL_COMPLETED", () => ({ result: call.state.parts.redact(result), durationMs }));
    return;
  }
  announce(call, "TOOL_CALL_FAILED", () => ({ error, durationMs }));
}

function recordEnd(call: ReceivedCall, envelope: ToolEnvelope): Promise<void> | undefined {
  const { state, arguments: plain } = call;
  const sent = plain.ok ? plain.value : undefined;
  const { session } = state;
  // Field by field: a spread takes as long as a third of the record.
  const entry: CallRecord = {
    envelope,
    arguments: state.validated?.input ?? sent,
    sessionId: session.id,
    taskId: call.taskId,
    agent: session.agent,
    userId: session.userId,
    parentCallId: call.shownUnder?.callId,
    requestId: call.requestId,
    principal: session.principal,
    client: session.clientInfo,
  };
  let pending: Promise<void>[] | undefined;
  for (const recorder of state.parts.recorders) {
    try {
      const writing = recorder.record(entry);
      if (writing === undefined) continue;
      pending ??= [];
      pending.push(Promise.resolve(writing).catch((cause: unknown) => reportLost(state, recorder, cause)));
    } catch (cause) {
      reportLost(state, recorder, cause);
    }
  }
  return pending === undefined ? undefined : Promise.all(pending).then(() => undefined);
}

/** The work is done and failing its answer would not undo it; the lost record is reported instead. */
function reportLost({ parts }: CallState, recorder: Recorder, cause: unknown): void {
  parts.events.emit("LISTENER_FAILED", { event: `record:${recorder.name}`, message: messageOf(cause) });
}

type CallEventName =
  | "TOOL_CALL_REQUESTED"
  | "TOOL_CALL_STARTED"
  | "TOOL_CALL_PROGRESS"
  | "TOOL_CALL_COMPLETED"
  | "TOOL_CALL_FAILED"
  | "TOOL_CALL_RETRIED";

type OwnFields<N extends CallEventName> = Omit<
  TenonEvents[N],
  "callId" | "toolName" | "sessionId" | "taskId" | "agent" | "client" | "parentCallId" | "requestId"
>;

/** Tell the event bus and the stream of this call; the payload is built only if somebody listens. */
export function announce<N extends CallEventName>(
  call: ReceivedCall,
  name: N,
  fields: () => OwnFields<N>,
): void {
  const { parts, origin } = call.state;
  const { events, clock } = parts;
  const { onEvent, hypothetical } = origin;
  if (hypothetical === true) return;
  if (onEvent === undefined && !events.has(name)) return;
  const payload = withCommonFields(call, fields()) as unknown as TenonEvents[N];
  if (events.has(name)) events.emit(name, payload);
  onEvent?.({ type: name, time: clock.now(), payload } as TenonEvent);
}

/** Set last, so that a tool's progress cannot forge them, and one by one, which is faster than a spread. */
function withCommonFields(call: ReceivedCall, fields: object): object {
  const { session, resolved } = call.state;
  const payload = fields as Record<string, unknown>;
  payload["callId"] = call.callId;
  payload["toolName"] = resolved?.entry.name ?? call.toolName;
  payload["sessionId"] = session.id;
  payload["agent"] = session.agent;
  if (session.clientInfo !== undefined) payload["client"] = session.clientInfo;
  if (call.taskId !== undefined) payload["taskId"] = call.taskId;
  if (call.requestId !== undefined) payload["requestId"] = call.requestId;
  if (call.shownUnder !== undefined) payload["parentCallId"] = call.shownUnder.callId;
  return payload;
}
