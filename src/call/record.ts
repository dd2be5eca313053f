import type { ToolEnvelope } from "../contract/call.js";
import { ToolUnavailableError } from "../contract/errors.js";
import type { CallOwner, CallRecord, CallStart, Recorder } from "../contract/ports/recorder.js";
import { messageOf } from "../contract/message-of.js";
import { announce } from "./announce.js";
import type { AuthorisedCall, Call, Outcome } from "./call.js";

/** Tell listeners and recorders how the call ended, refusals too; resolves when the records are kept. */
export function record(outcome: Outcome, envelope: ToolEnvelope): Promise<void> | undefined {
  const { call } = outcome;
  if (!call.started && call.settings !== undefined && outcome.error !== undefined) {
    call.settings.meter.refused(outcome.error.name);
  }
  announceEnd(call, envelope);
  const { recorders } = call.parts;
  if (recorders.length === 0) return undefined;
  return keep(call, envelope, recorders);
}

/**
 * Record that a call which may change something is about to run. No effect without a record: where it cannot
 * be written, the call is refused.
 */
export function recordStart(call: AuthorisedCall): Promise<void> | undefined {
  if (call.settings.annotations.readOnly === true) return undefined;
  let pending: Promise<void>[] | undefined;
  for (const recorder of call.parts.recorders) {
    if (recorder.start === undefined) continue;
    try {
      const keeping = recorder.start(toStart(call));
      if (keeping === undefined) continue;
      pending ??= [];
      pending.push(Promise.resolve(keeping));
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

function toStart(call: AuthorisedCall): CallStart {
  return {
    callId: call.callId,
    toolName: call.entry.name,
    version: call.entry.version,
    startedAt: call.startedAt,
    arguments: call.input,
    decision: call.decision,
    approval: call.notes?.approval,
    ...ownerOf(call),
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

function ownerOf(call: Call): CallOwner {
  return {
    sessionId: call.session.id,
    taskId: call.taskId,
    agent: call.session.agent,
    userId: call.session.userId,
    parentCallId: call.shownUnder?.callId,
    requestId: call.requestId,
    principal: call.session.principal,
    client: call.session.clientInfo,
  };
}

/** Tell listeners how the call ended. */
export function announceEnd(call: Call, envelope: ToolEnvelope): void {
  const { durationMs, error, result } = envelope;
  if (error === undefined) {
    announce(call, "TOOL_CALL_COMPLETED", () => ({ result: call.parts.redact(result), durationMs }));
    return;
  }
  announce(call, "TOOL_CALL_FAILED", () => ({ error, durationMs }));
}

function keep(call: Call, envelope: ToolEnvelope, recorders: readonly Recorder[]): Promise<void> | undefined {
  const entry: CallRecord = {
    envelope,
    arguments: call.input ?? (call.plain.ok ? call.plain.value : undefined),
    ...ownerOf(call),
  };
  let pending: Promise<void>[] | undefined;
  for (const recorder of recorders) {
    try {
      const keeping = recorder.record(entry);
      if (keeping === undefined) continue;
      pending ??= [];
      pending.push(Promise.resolve(keeping).catch((cause: unknown) => reportFailure(call, recorder, cause)));
    } catch (cause) {
      reportFailure(call, recorder, cause);
    }
  }
  return pending === undefined ? undefined : Promise.all(pending).then(() => undefined);
}

/** The work is done and cannot be undone by failing its answer; the lost record is made visible instead. */
function reportFailure(call: Call, recorder: Recorder, cause: unknown): void {
  call.parts.events.emit("LISTENER_FAILED", { event: `record:${recorder.name}`, message: messageOf(cause) });
}
