import { hash } from "node:crypto";
import type { ToolEnvelope } from "../contract/call.js";
import type { KeyedCall } from "../contract/ports/answers.js";
import { messageOf } from "../contract/message-of.js";
import type { Outcome } from "./outcome.js";
import type { ReceivedCall } from "./receive.js";
import { announceEnd } from "./record.js";
import type { ValidatedCall } from "./validate.js";

export interface AnswerKeys {
  /** The answer of an earlier call with this key, once there is one; `undefined` if this call is the first. */
  claim(call: KeyedCall, options: ClaimOptions): Promise<ToolEnvelope | undefined>;
  /** Store the answer of a call that ran. */
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

/** If the caller sent a key: the answer that it had before, or else the key is taken for this call. */
export async function answerAgain(call: ValidatedCall): Promise<ToolEnvelope | undefined> {
  const { state, received, entry } = call;
  const { keys } = state.parts;
  if (keys === undefined || received.idempotencyKey === undefined || state.depth > 0) return undefined;
  const keyed: KeyedCall = {
    principal: state.session.principal ?? "local",
    key: received.idempotencyKey,
    fingerprint: hash("sha256", JSON.stringify([entry.name, withSortedKeys(call.plainInput)])),
    callId: received.callId,
  };
  const earlier = await keys.claim(keyed, {
    signal: state.abortSignal,
    toolName: entry.name,
    isReadOnly: call.settings.annotations.readOnly === true,
    maxWaitMs: received.timeoutMs,
  });
  if (earlier === undefined) state.keyed = keyed;
  return earlier;
}

/** Answer with the envelope of the first call; listeners hear that this one ended. */
export function giveAgain(call: ReceivedCall, envelope: ToolEnvelope): ToolEnvelope {
  const { state } = call;
  state.end();
  announceEnd(call, envelope);
  if (state.depth === 0) state.parts.inFlight.leave(call);
  return envelope;
}

/**
 * Store the answer for a caller that sends the key again. A refusal is not stored, since the call may be sent again, nor is
 * a failure that may pass of a tool that can be called twice without harm.
 */
export async function keepAnswer({ call, standIn }: Outcome, envelope: ToolEnvelope): Promise<void> {
  const { parts, keyed, started, attempts } = call.state;
  if (parts.keys === undefined || keyed === undefined) return;
  try {
    const hasRun = started || attempts > 0 || standIn !== undefined;
    const mayPass = envelope.error?.retryable === true && isRepeatable(call);
    await (hasRun && !mayPass ? parts.keys.keep(keyed, envelope) : parts.keys.release(keyed));
  } catch (cause) {
    envelope.metadata["idempotencyFault"] =
      `The answer could not be stored under its idempotency key: ${messageOf(cause)}`;
  }
}

function isRepeatable({ state }: ReceivedCall): boolean {
  const { readOnly, idempotent } = state.resolved?.settings.annotations ?? {};
  return readOnly === true || idempotent === true;
}

/** The same data for any order of keys. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, item]) => [key, withSortedKeys(item)]);
}
