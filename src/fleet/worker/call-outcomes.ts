import type { ToolEnvelope } from "../../contract/call.js";
import { ToolCancelledError, ToolValidationError, type ErrorInfo } from "../../contract/errors.js";
import type { HostAnswer } from "../../contract/host.js";
import { interruptedError } from "../../record/audit/interrupted.js";
import { pack } from "../bus/carry.js";
import type { Bus } from "../bus/open-bus.js";
import { failedEnvelope } from "../failed-envelope.js";
import {
  maxMessageBytes,
  startWithinMs,
  type CallMessage,
  type CancelMessage,
  type OutcomeMessage,
} from "../protocol.js";

/** How long to wait before something that failed is tried again. */
export const retryMs = 500;
const maxTries = 240;
const ackMs = 2000;

const maxNoteChars = 256 * 1024;

/** Tell the front how far a call is. */
export function tellProgress(bus: Bus, { callId, proof, front }: CallMessage, progress: object): void {
  if (!bus.isOnline()) return;
  const text = JSON.stringify({ callId, proof, progress });
  if (text.length < maxNoteChars) bus.connection.publish(bus.names.toFront(front, "progress", callId), text);
}

/** The bus may be away for a while; the outcome is in the log, and waits here for two minutes. */
export async function publishOutcome(bus: Bus, front: string, outcome: OutcomeMessage): Promise<void> {
  const subject = bus.names.outcome(front, outcome.callId);
  for (let tries = 1; ; tries += 1) {
    try {
      const payload = await packOutcome(bus, outcome);
      await bus.endOfTurn();
      await bus.publisher.publish(subject, payload, {
        id: `${outcome.callId}.${outcome.proof}`,
        headers: bus.newHeaders(),
        timeoutMs: ackMs,
      });
      return;
    } catch (cause) {
      if (tries >= maxTries || bus.connection.isClosed()) throw cause;
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    }
  }
}

/** What no message can hold is told; to try again would not make it smaller. */
async function packOutcome(bus: Pick<Bus, "objects">, outcome: OutcomeMessage): Promise<Uint8Array> {
  try {
    return await pack(bus, outcome);
  } catch (cause) {
    if (!(cause instanceof ToolValidationError)) throw cause;
    const { callId, toolName } = outcome.envelope;
    const { sessionId = "" } = Object(outcome.envelope["metadata"]) as { sessionId?: string };
    const error = {
      type: "ToolExecutionError",
      code: "RESULT_INVALID",
      message: `The call was made, but its result is larger than the ${maxMessageBytes} bytes that a fleet carries.`,
      hint: "Look at what it did before you make it again, and ask for less.",
      retryable: false,
    };
    const envelope = failedEnvelope({ callId, toolName, sessionId, error });
    return pack(bus, { ...outcome, envelope });
  }
}

/** Whether it may work a moment later: the message itself is not at fault. */
export function isPassing(cause: unknown): boolean {
  return (Object(cause) as { retryable?: unknown }).retryable === true;
}

export function interruptedEnvelope({ callId, session }: CallMessage, toolName: string): ToolEnvelope {
  return failedEnvelope({ callId, toolName, sessionId: session.id, error: interruptedError });
}

/** Within which time a call has to begin, in ms from when it was sent. */
export function startLimit({ timeoutMs = Infinity }: Pick<CallMessage, "timeoutMs">): number {
  return Math.min(startWithinMs, timeoutMs);
}

/** What waiting left of a call's limit, which counts from when its caller asked; `undefined` where it must not begin any more. */
export function timeLeft(call: CallMessage, waitedMs: number): Pick<CallMessage, "timeoutMs"> | undefined {
  if (waitedMs > startLimit(call)) return undefined;
  const { timeoutMs } = call;
  return timeoutMs === undefined
    ? {}
    : { timeoutMs: Math.max(1, Math.ceil(timeoutMs - Math.max(0, waitedMs))) };
}

/** The id under which a call is made again. */
export function toAgain(callId: string): string {
  return `${callId}_again`;
}

export function tooLate(call: CallMessage): HostAnswer {
  return notMade(call, {
    code: "WORKSPACE_UNAVAILABLE",
    message: `No worker could begin the call within ${startLimit(call) / 1000} s, so it was not made.`,
    hint: "Make the call again.",
  });
}

export function tooMany(call: CallMessage, principal: string): HostAnswer {
  return notMade(call, {
    code: "FLEET_UNAVAILABLE",
    message: `Too many calls of "${principal}" run or wait already (fleet.quotas), so this one was not made.`,
    hint: "Make it again when others have ended.",
  });
}

export function refused(call: CallMessage, reason: string): HostAnswer {
  return notMade(call, {
    code: "FLEET_UNAVAILABLE",
    message: `The worker refused the call: ${reason}`,
    hint: "Update the front or the worker, or run `tenon doctor` on the front.",
    retryable: false,
  });
}

function notMade(
  { callId, name, session }: CallMessage,
  fault: Pick<ErrorInfo, "code" | "message" | "hint"> & { readonly retryable?: boolean },
): HostAnswer {
  const error = { type: "ToolUnavailableError", retryable: true, ...fault };
  const envelope = failedEnvelope({ callId, toolName: name, sessionId: session.id, error });
  return { envelope, wrapped: false, maxChars: 100_000 };
}

export function toCancelled({
  reason = "The caller cancelled the call.",
}: CancelMessage): ToolCancelledError {
  return new ToolCancelledError(reason);
}
