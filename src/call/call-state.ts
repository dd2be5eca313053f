import { setMaxListeners } from "node:events";
import type { AccessDecision, CallMetadata } from "../contract/call.js";
import type { ToolContext } from "../contract/context.js";
import { ToolCancelledError, type ToolError, ToolTimeoutError } from "../contract/errors.js";
import type { KeyedCall } from "../contract/ports/answers.js";
import type { Sighting } from "../contract/ports/seen.js";
import type { CallSession } from "../contract/session.js";
import type { Deadline } from "../scheduler/deadline-wheel.js";
import type { Ticket } from "../scheduler/scheduler.js";
import type { NestedBudget } from "./nested-call.js";
import type { KeptAnswer } from "./result-cache.js";
import type { CallOrigin } from "./call-origin.js";
import type { AnsweredAs, ValidatedCall } from "./validate.js";
import type { SpineParts } from "./parts.js";
import type { ResolvedCall } from "./resolve.js";

/**
 * Everything about a call that changes while it runs: how far it came, its time limit, what stops it and what was
 * noted about it. The stages' own records (`ReceivedCall` to `AuthorisedCall`) are never changed.
 */
export class CallState {
  readonly origin: CallOrigin;
  readonly parts: SpineParts;
  readonly session: CallSession;
  readonly startedAt: number;
  readonly startedMonotonic: number;
  /** How many calls are above this one. */
  readonly depth: number;

  /** The newest record of each stage, used to answer a call that failed in a later stage. */
  resolved: ResolvedCall | undefined;
  validated: ValidatedCall | undefined;
  /** How the result is given back if the called tool meant another one. */
  answeredAs: AnsweredAs | undefined;
  /** The decision about it, also a refusal. */
  decision: AccessDecision | undefined;
  /** Set if the command runs before a person is asked: the decision that asks once its changes are known. */
  askAfter: AccessDecision | undefined;
  /** The idempotency key that it holds. */
  keyed: KeyedCall | undefined;
  ticket: Ticket | undefined;
  attempts = 0;
  /** Whether the tool's own code ran: only then does a failure count against its health. */
  started = false;
  /** Whether anything was awaited before the tool could start. */
  delayed = false;
  /** Whether its quotas are taken: once is enough, however often it is scheduled. */
  counted = false;
  ended = false;
  /** Whether a call that it made returned untrusted content. */
  tainted = false;
  /** What nested calls share with this one. Only set on a call that no other call made. */
  nestedBudget: NestedBudget | undefined;
  /** The call that answers in place of this one, while it runs. */
  fallbackCall: CallState | undefined;
  /** The tool's promise if it is still running after the call was stopped. */
  lingering: Promise<unknown> | undefined;
  executionStarted = 0;
  /** How long it had waited for a person when it started. */
  waitedBeforeStartMs = 0;
  executionEnded: number | undefined;
  context: ToolContext | undefined;
  /** The parts of files that the tool showed, if its answer may be cached. */
  sightings: { path: string; sighting: Sighting }[] | undefined;
  /** The cached answer that is reused, and a copy of its result for this call. */
  recalled: { readonly answer: KeptAnswer; readonly result: unknown } | undefined;
  notes: Partial<CallMetadata> | undefined;
  /** Why the call must stop, once it must; only `abort` sets it. */
  aborted: ToolError | undefined;

  #deadline: Deadline | undefined;
  #pauses = 0;
  #pausedSince = 0;
  #pausedMs = 0;
  #callerLeft: ToolError | undefined;
  #stoppedByCaller = false;
  #controller: AbortController | undefined;
  /** Most calls have one listener at a time, so the first needs no set. */
  #listener: ((reason: ToolError) => void) | undefined;
  #moreListeners: Set<(reason: ToolError) => void> | undefined;
  #unlink: (() => void) | undefined;

  constructor(origin: CallOrigin, parts: SpineParts) {
    this.origin = origin;
    this.parts = parts;
    this.session = origin.session;
    this.startedAt = parts.clock.now();
    this.startedMonotonic = parts.clock.monotonic();
    const above = origin.fallbackFor ?? origin.parent;
    this.depth = above === undefined ? 0 : above.state.depth + 1;
  }

  /** Whether its result must not be taken for instructions. */
  get untrusted(): boolean {
    return this.tainted || this.resolved?.settings.annotations.openWorld === true;
  }

  /** Created on first use: most tools never read it. */
  get abortSignal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // A tool may start many things that all stop with the call; that is not a leak.
      setMaxListeners(0, this.#controller.signal);
    }
    if (this.aborted !== undefined && !this.#controller.signal.aborted) this.#controller.abort(this.aborted);
    return this.#controller.signal;
  }

  abort(reason: ToolError): void {
    // A caller that stopped this call does not want the fallback's answer either.
    if (reason instanceof ToolCancelledError || this.#stoppedByCaller) this.fallbackCall?.abort(reason);
    if (this.aborted !== undefined) return;
    this.aborted = reason;
    this.#controller?.abort(reason);
    const listeners = [this.#listener, ...(this.#moreListeners ?? [])];
    this.#listener = this.#moreListeners = undefined;
    for (const listener of listeners) listener?.(reason);
  }

  /** Call `listener` when the call must stop, immediately if it must already. */
  onAbort(listener: (reason: ToolError) => void): () => void {
    if (this.aborted !== undefined) {
      listener(this.aborted);
      return () => {};
    }
    if (this.#listener === undefined) {
      this.#listener = listener;
      return () => {
        if (this.#listener === listener) this.#listener = undefined;
      };
    }
    (this.#moreListeners ??= new Set()).add(listener);
    return () => this.#moreListeners?.delete(listener);
  }

  /** Whether the caller does not want a fallback's answer either. */
  get isStoppedByCaller(): boolean {
    return this.#stoppedByCaller || this.aborted instanceof ToolCancelledError;
  }

  /** Stop when the caller's signal fires. */
  listenTo(signal: AbortSignal): void {
    const cancel = (): void => {
      const { reason } = signal as { reason: unknown };
      const isSaid = reason instanceof ToolCancelledError || reason instanceof ToolTimeoutError;
      this.#stoppedByCaller = true;
      this.abort(isSaid ? reason : new ToolCancelledError("The caller cancelled the call."));
    };
    // One signal may stop a thousand calls; each removes its listener when it ends.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", cancel, { once: true });
    const before = this.#unlink;
    this.#unlink = () => {
      before?.();
      signal.removeEventListener("abort", cancel);
    };
  }

  /** Stop when the call that made this one stops. Reaching that call's time limit does not count as a failure of this tool. */
  follow(parent: CallState): void {
    this.#unlink = parent.onAbort((reason) => {
      const cancelled = reason instanceof ToolCancelledError;
      this.abort(cancelled ? reason : new ToolCancelledError("The call that made this one was stopped."));
    });
  }

  /** Start the time limit of the tool's work unless it is running. */
  startClock(toolName: string, limitMs: number): void {
    if (this.#deadline !== undefined) return;
    const { deadlines } = this.parts;
    this.#deadline = deadlines.add(limitMs, () => this.abort(exceeded(toolName, limitMs)));
    for (let pause = 0; pause < this.#pauses; pause++) deadlines.pause(this.#deadline);
  }

  stopClock(): void {
    if (this.#deadline !== undefined) this.parts.deadlines.remove(this.#deadline);
    this.#deadline = undefined;
  }

  /** Pause the time limits of this call and of the calls above it while a person is asked. */
  pauseClock(): () => void {
    const paused = this.#andAbove();
    const { deadlines } = this.parts;
    for (const call of paused) {
      if (call.#pauses++ === 0) call.#pausedSince = this.parts.clock.monotonic();
      if (call.#deadline !== undefined) deadlines.pause(call.#deadline);
      if (call.#callerLeft !== undefined) call.abort(call.#callerLeft);
    }
    return () => {
      for (const call of paused.splice(0)) {
        if (--call.#pauses === 0) call.#pausedMs += this.parts.clock.monotonic() - call.#pausedSince;
        if (call.#deadline !== undefined) deadlines.resume(call.#deadline);
      }
    };
  }

  /** Milliseconds in which this call, or one that it made, waited for a person. */
  get waitedForPersonMs(): number {
    if (this.#pauses === 0) return this.#pausedMs;
    return this.#pausedMs + Math.max(0, this.parts.clock.monotonic() - this.#pausedSince);
  }

  #andAbove(): CallState[] {
    const { parent } = this.origin;
    return parent === undefined ? [this] : [this, ...parent.state.#andAbove()];
  }

  /** The caller has left: the call may finish its work, but no person is asked on its behalf. */
  callerLeft(reason: ToolError): void {
    this.#callerLeft ??= reason;
    if (this.#pauses > 0) this.abort(reason);
  }

  /** Release what the call listens to; the last thing that happens to it. */
  end(): void {
    this.ended = true;
    this.#unlink?.();
    if (this.#deadline !== undefined) this.stopClock();
  }

  /** Settle with `promise`, or reject as soon as the call must stop. */
  race<T>(promise: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = this.onAbort(reject);
      promise.then(
        (value) => {
          stop();
          resolve(value);
        },
        (cause: unknown) => {
          stop();
          reject(cause);
        },
      );
    });
  }

  note(extra: Partial<CallMetadata>): void {
    this.notes = { ...this.notes, ...extra };
  }
}

/** How long a tool with its own time limit may take before its work starts. */
const aheadMs = 30_000;

/** Start the call's time limit: the caller's, or else the tool's. */
export function startClock(call: ValidatedCall): void {
  const limitMs = call.received.timeoutMs ?? call.settings.timeoutMs;
  if (limitMs !== null) call.state.startClock(call.entry.name, limitMs);
}

/** Wait for the tool's own code that runs ahead of its work: no longer than its work may take, and only until the call must stop. */
export async function waitAhead<T>(call: ValidatedCall, step: T | PromiseLike<T>): Promise<T> {
  const { state, entry } = call;
  state.startClock(entry.name, call.received.timeoutMs ?? call.settings.timeoutMs ?? aheadMs);
  try {
    return await state.race(Promise.resolve(step));
  } finally {
    state.stopClock();
  }
}

function exceeded(toolName: string, limitMs: number): ToolTimeoutError {
  return new ToolTimeoutError(`"${toolName}" exceeded its time limit of ${limitMs} ms and was stopped.`, {
    toolName,
    hint: "Do less in one call, or pass a larger timeoutMs.",
    details: { timeoutMs: limitMs },
  });
}
