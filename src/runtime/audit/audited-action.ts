import { notRecorded } from "../../call/record.js";
import { toErrorInfo, toToolError } from "../../call/failure.js";
import type { ToolEnvelope } from "../../contract/call.js";
import { toOwnedId } from "../../contract/ownership.js";
import type { ErrorInfo } from "../../contract/errors.js";
import type { Clock } from "../../contract/ports/clock.js";
import type { CallStart, Recorder } from "../../contract/ports/recorder.js";

/** The person who does something through a Tenon without calling a tool. */
export interface Actor {
  /** Where they act: "cli", "console" or "library". */
  readonly via: string;
  readonly userId?: string | undefined;
  /** The user of a server in whose name they act: they see the record of it. @default the person on the machine itself */
  readonly principal?: string | undefined;
}

/** Something that a person does, such as an undo. */
export interface AuditedAction<T> {
  readonly name: string;
  readonly arguments: unknown;
  /** What is recorded as its result. @default the whole outcome */
  readonly toResult?: (value: T) => unknown;
  readonly run: (callId: string) => Promise<T>;
}

/** Runs an action, with a record before and after it. */
export type RecordAction = <T>(action: AuditedAction<T>) => Promise<T>;

export interface AuditedActionsOptions {
  readonly actor: Actor;
  readonly recorders: readonly Recorder[];
  readonly newId: () => string;
  readonly clock: Clock;
  readonly redact: <T>(value: T) => T;
}

/** Record the actions of a person like calls: nothing is changed without a record. */
export function createAuditedActions(options: AuditedActionsOptions): RecordAction {
  const { recorders, newId, clock } = options;
  return async ({ name, arguments: args, toResult = (value) => value, run }) => {
    const start = toStart(options, { callId: newId(), name, args });
    const before = clock.monotonic();
    try {
      for (const recorder of recorders) await recorder.start?.(start);
    } catch (cause) {
      throw notRecorded(cause);
    }
    const end = async (outcome: { result?: unknown; error?: ErrorInfo }): Promise<void> => {
      const record = { ...start, envelope: toEnvelope(start, outcome, clock.monotonic() - before) };
      for (const recorder of recorders) await recorder.record(record);
    };
    let value;
    try {
      value = await run(start.callId);
    } catch (thrown) {
      await end({ error: options.redact(toErrorInfo(toToolError(thrown, name))) });
      throw thrown;
    }
    await end({ result: toResult(value) });
    return value;
  };
}

function toStart(
  { actor, clock }: AuditedActionsOptions,
  { callId, name, args }: { readonly callId: string; readonly name: string; readonly args: unknown },
): CallStart {
  return {
    callId,
    toolName: name,
    version: undefined,
    startedAt: clock.now(),
    arguments: args,
    decision: undefined,
    sessionId: toOwnedId("person", actor),
    taskId: undefined,
    agent: "person",
    userId: actor.userId,
    ...(actor.principal !== undefined && { principal: actor.principal }),
    parentCallId: undefined,
    act: actor.via,
  };
}

function toEnvelope(
  { callId, toolName, startedAt, sessionId, agent }: CallStart,
  { result, error }: { readonly result?: unknown; readonly error?: ErrorInfo },
  durationMs: number,
): ToolEnvelope {
  return {
    callId,
    toolName,
    ...(error === undefined ? { success: true, result } : { success: false, error }),
    startedAt,
    completedAt: startedAt + Math.round(durationMs),
    durationMs,
    metadata: { sessionId, agent },
    content: [],
  };
}
