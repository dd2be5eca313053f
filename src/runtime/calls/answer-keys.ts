import type { AnswerKeys } from "../../call/repeat.js";
import type { ToolEnvelope } from "../../contract/call.js";
import {
  ToolResourceNotFoundError,
  ToolUnavailableError,
  ToolValidationError,
} from "../../contract/errors.js";
import type { AnswerStore, KeptCall, KeyedCall } from "../../contract/ports/answers.js";
import type { AuditLog } from "../../contract/ports/audit.js";
import type { Clock } from "../../contract/ports/clock.js";
import { interruptedError } from "../../record/audit/interrupted.js";
import { envelopeOf } from "../audit/envelope-of.js";

export interface AnswerKeysOptions {
  readonly store: () => Promise<AnswerStore>;
  /** `undefined` if there is no log. */
  readonly log: AuditLog | undefined;
  readonly clock: Clock;
  readonly redact: <T>(value: T) => T;
}

const maxKeyWaitMs = 10 * 60 * 1000;
const pollMs = { first: 20, max: 500 };
/** A longer answer is read from the log. */
const maxAnswerChars = 64 * 1024;
/** Answers that could not be stored, and keys that could not be set free; this process still knows them. */
const maxRemembered = 1000;

/** One call per key: the first runs, all others get its answer, in any process and also after a restart. */
export function createAnswerKeys(options: AnswerKeysOptions): AnswerKeys {
  const { store, clock } = options;
  const remembered = new Map<string, ToolEnvelope>();
  /** Calls that did not run, whose keys could not be set free. */
  const unreleased = new Set<string>();
  return {
    async claim(call, { signal, toolName, isReadOnly, maxWaitMs = maxKeyWaitMs }) {
      const answers = await store();
      const until = clock.monotonic() + Math.min(maxWaitMs, maxKeyWaitMs);
      for (let pause = pollMs.first; ; pause = Math.min(pause * 2, pollMs.max)) {
        const known = await answers.claim(call);
        if (known === undefined) return releaseWhereStopped(call, answers, signal);
        if (unreleased.has(known.callId)) {
          await answers.release({ ...call, callId: known.callId });
          unreleased.delete(known.callId);
          continue;
        }
        if (known.fingerprint !== call.fingerprint) throw reused(call);
        const answer = remembered.get(known.callId) ?? (await answerOf(known, options));
        if (answer !== undefined) return again(answer);
        if (known.state === "lost") await answerLost(call, { known, answers, toolName, isReadOnly, options });
        else if (known.state === "done") throw gone(call);
        else if (clock.monotonic() > until) throw pending(call);
        else await clock.sleep(pause, signal);
        signal.throwIfAborted();
      }
    },
    async keep(call, envelope) {
      try {
        const text = JSON.stringify(options.redact(JSON.parse(JSON.stringify(envelope))));
        const fits = options.log === undefined || text.length <= maxAnswerChars;
        await (await store()).finish(call, fits ? text : undefined);
      } catch (cause) {
        remembered.set(call.callId, envelope);
        dropOldest(remembered);
        throw cause;
      }
    },
    async release(call) {
      try {
        await (await store()).release(call);
      } catch (cause) {
        unreleased.add(call.callId);
        dropOldest(unreleased);
        throw cause;
      }
    },
  };
}

function dropOldest(kept: Pick<Map<string, unknown>, "size" | "keys" | "delete">): void {
  const [oldest] = kept.keys();
  if (kept.size > maxRemembered && oldest !== undefined) kept.delete(oldest);
}

async function releaseWhereStopped(call: KeyedCall, answers: AnswerStore, signal: AbortSignal) {
  if (!signal.aborted) return undefined;
  await answers.release(call);
  throw signal.reason as Error;
}

/** The stored answer of a call that has ended. */
async function answerOf(known: KeptCall, { log }: AnswerKeysOptions): Promise<ToolEnvelope | undefined> {
  if (known.state === "running") return undefined;
  if (known.answer !== undefined) return JSON.parse(known.answer) as ToolEnvelope;
  const record = await log?.get(known.callId);
  // A call that was refused or stopped before it began has no answer to keep: its process died before it gave the key back.
  const wasRefused = known.state === "lost" && record?.error !== undefined && record.start === undefined;
  return record === undefined || wasRefused ? undefined : envelopeOf(record);
}

interface LostCall {
  readonly known: KeptCall;
  readonly answers: AnswerStore;
  readonly toolName: string;
  readonly isReadOnly: boolean;
  readonly options: AnswerKeysOptions;
}

/**
 * The process of the first call died and the log has no end of it. If nothing can have happened (the
 * log has no start of it, or it changes nothing) the key is free again; else the answer is that it was interrupted.
 */
async function answerLost(
  call: KeyedCall,
  { known, answers, toolName, isReadOnly, options }: LostCall,
): Promise<void> {
  const first = { ...call, callId: known.callId };
  const isSafe =
    isReadOnly || (options.log !== undefined && (await options.log.started?.(known.callId)) === undefined);
  if (isSafe) await answers.release(first);
  else await answers.finish(first, JSON.stringify(interrupted(known.callId, toolName)));
}

function interrupted(callId: string, toolName: string): ToolEnvelope {
  const times = { startedAt: 0, completedAt: 0, durationMs: 0 };
  const text = `${interruptedError.code}: ${interruptedError.message}`;
  return {
    callId,
    toolName,
    success: false,
    error: interruptedError,
    ...times,
    metadata: { sessionId: "" },
    content: [{ type: "text", text }],
  };
}

/** The same answer. Under its key it will not change, so that a failure that might have passed is final now. */
function again(answer: ToolEnvelope): ToolEnvelope {
  const copy = JSON.parse(JSON.stringify(answer)) as ToolEnvelope;
  return {
    ...copy,
    ...(copy.error?.retryable === true && { error: { ...copy.error, retryable: false } }),
    metadata: { ...answer.metadata, repeated: true },
  } as ToolEnvelope;
}

function reused({ key }: KeyedCall): ToolValidationError {
  return new ToolValidationError(
    `The idempotency key "${key}" was used for another call: the tool or the arguments differ.`,
    {
      code: "IDEMPOTENCY_KEY_REUSED",
      hint: "Send a new key with a new call, and the same key only with the same tool and arguments.",
    },
  );
}

/** The call ran and must not run again, but its answer was too large to store and is no longer in the log. */
function gone({ key }: KeyedCall): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(
    `The call with the idempotency key "${key}" has run, but its answer is no longer stored.`,
    {
      hint: "Check what it did; send a new key to run it again.",
    },
  );
}

function pending({ key }: KeyedCall): ToolUnavailableError {
  return new ToolUnavailableError(`The call with the idempotency key "${key}" is still running.`, {
    code: "IDEMPOTENCY_KEY_PENDING",
    hint: "Send it again with the same key later to get its answer.",
    retryable: true,
  });
}
