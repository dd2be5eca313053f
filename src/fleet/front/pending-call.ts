import type { HostAnswer, HostCall } from "../../contract/host.js";
import type { ClientConnection } from "../../contract/ports/client.js";
import type { SessionFacts, TakenCall } from "../protocol.js";

/** A call that a host makes in a workspace. */
export interface FleetCall extends Omit<HostCall, "signal"> {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly workspace: string;
  readonly session: SessionFacts;
  readonly client?: ClientConnection | undefined;
}

/** A call that a front has sent or is about to send, and has not answered yet. */
export interface Pending {
  readonly call: FleetCall;
  readonly proof: string;
  /** Whether it is on its way: from then on nobody can say that it was not made. */
  isSent: boolean;
  /** Its place in the stream, once it is there. */
  seq: number | undefined;
  /** When its limit is over. */
  readonly limitAt: number;
  /** When to look whether somebody still works on it. */
  checkAt: number;
  /** How often its worker gave no answer to that. */
  silences: number;
  readonly settle: (answer: HostAnswer) => void;
  /** Ends the questions that it puts to its host. */
  over: AbortController | undefined;
}

/**
 * Asks a worker whether it has taken a call, and runs it or lets it wait.
 * @param args The call's id; and its proof where it must not begin any more.
 */
export type AskTaken = (
  worker: string,
  workspace: string,
  args: readonly string[],
) => Promise<TakenCall | boolean>;

/** A call that has no limit of its own is asked after from then on. */
const patienceMs = 30_000;
/** How much later than its limit a worker may answer. */
const graceMs = 400;
/** How long until a call is asked after again: one with a limit, which is over by then, and one without. */
const [askAgainSoonMs, askAgainMs] = [500, 5000];
const maxSilences = 3;

/** How long a caller waits before its call is asked after. */
export function limitOf({ timeoutMs }: FleetCall): number {
  return timeoutMs ?? patienceMs;
}

/** The call, with what is left of its limit: its caller counts from when it asked. */
export function withTimeLeft({ call, limitAt }: Pending): FleetCall {
  if (call.timeoutMs === undefined) return call;
  return { ...call, timeoutMs: Math.max(1, Math.ceil(limitAt - performance.now())) };
}

/** A call as it begins. */
export function newPending(call: FleetCall, proof: string, settle: Pending["settle"]): Pending {
  const limitAt = performance.now() + limitOf(call);
  return {
    call,
    proof,
    isSent: false,
    seq: undefined,
    limitAt,
    checkAt: limitAt + graceMs,
    silences: 0,
    settle,
    over: undefined,
  };
}

/**
 * When to ask after a call again whose time is over; `undefined` where its caller waits no longer.
 * @param taken What its worker says of it; `undefined` where it says nothing.
 */
export function nextCheck(pending: Pending, taken: TakenCall | boolean | undefined): number | undefined {
  const { call, limitAt } = pending;
  const now = performance.now();
  pending.silences = taken === undefined ? pending.silences + 1 : 0;
  if (taken === false) return undefined;
  if (call.timeoutMs === undefined) {
    // A worker that lives may be too busy to answer at once; only a caller with a limit has no time for that.
    return pending.silences < maxSilences ? now + askAgainMs : undefined;
  }
  if (taken === undefined) return undefined;
  // A worker of an earlier version does not say whether the call waits for a person.
  if (taken === true) return now + askAgainSoonMs;
  // The time in which a person is asked does not count.
  const endsAt = limitAt + graceMs + taken.waitedForPersonMs;
  return endsAt > now ? endsAt : undefined;
}
