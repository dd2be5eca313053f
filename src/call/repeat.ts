import { hash } from "node:crypto";
import type { ToolEnvelope } from "../contract/call.js";
import type { KeyedCall } from "../contract/ports/answers.js";
import { messageOf } from "../contract/message-of.js";
import type { Call, Outcome, ValidatedCall } from "./call.js";
import { announceEnd } from "./record.js";

/** What the spine needs of the answers that are kept by key. */
export interface AnswerKeys {
  /** The answer of an earlier call with this key, once there is one; `undefined`: this call is the first. */
  claim(call: KeyedCall, options: ClaimOptions): Promise<ToolEnvelope | undefined>;
  /** Keep the answer of a call that ran. */
  keep(call: KeyedCall, envelope: ToolEnvelope): Promise<void>;
  /** The call did not run: its key is free again. */
  release(call: KeyedCall): Promise<void>;
}

export interface ClaimOptions {
  readonly signal: AbortSignal;
  readonly toolName: string;
  readonly isReadOnly: boolean;
  /** How long to wait for an earlier call that still runs. */
  readonly maxWaitMs?: number | undefined;
}

/** Where the caller sent a key: give the answer that it had before, or take the key for this call. */
export async function answerAgain(call: ValidatedCall): Promise<ToolEnvelope | undefined> {
  const { keys } = call.parts;
  if (keys === undefined || call.idempotencyKey === undefined || call.depth > 0) return undefined;
  const keyed: KeyedCall = {
    principal: call.session.principal ?? "local",
    key: call.idempotencyKey,
    fingerprint: hash("sha256", JSON.stringify([call.entry.name, sorted(call.plainInput)])),
    callId: call.callId,
  };
  const earlier = await keys.claim(keyed, {
    signal: call.abortSignal,
    toolName: call.entry.name,
    isReadOnly: call.settings.annotations.readOnly === true,
    maxWaitMs: call.requestedTimeoutMs,
  });
  if (earlier === undefined) call.keyed = keyed;
  return earlier;
}

/** The answer of the first call is that of this one; who listens hears that it ended. */
export function giveAgain(call: Call, envelope: ToolEnvelope): ToolEnvelope {
  call.end();
  announceEnd(call, envelope);
  if (call.depth === 0) call.parts.inFlight.leave(call);
  return envelope;
}

/** Keep the answer for a caller that sends the key again; a refusal is not kept, since the call may be sent again. */
export async function keepAnswer({ call, standIn }: Outcome, envelope: ToolEnvelope): Promise<void> {
  const { keys } = call.parts;
  if (keys === undefined || call.keyed === undefined) return;
  try {
    if (hasRun(call) || standIn !== undefined) await keys.keep(call.keyed, envelope);
    else await keys.release(call.keyed);
  } catch (cause) {
    envelope.metadata["idempotencyFault"] = `The answer could not be kept under its key: ${messageOf(cause)}`;
  }
}

function hasRun(call: Call): boolean {
  return call.started || call.attempts > 0;
}

/** The same data in whatever order its keys were sent. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, item]) => [key, sorted(item)]);
}
