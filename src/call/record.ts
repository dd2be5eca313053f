import type { ToolEnvelope } from "../contract/call.js";
import type { CallRecord, Recorder } from "../contract/ports/recorder.js";
import { messageOf } from "../contract/message-of.js";
import { announce } from "./announce.js";
import type { Call, Outcome } from "./call.js";

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

function announceEnd(call: Call, envelope: ToolEnvelope): void {
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
    sessionId: call.session.id,
    taskId: call.taskId,
    agent: call.session.agent,
    userId: call.session.userId,
    parentCallId: call.shownUnder?.callId,
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
