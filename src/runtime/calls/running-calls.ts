import type { InFlight } from "../../call/parts.js";
import type { ReceivedCall } from "../../call/receive.js";
import { toToolError } from "../../call/failure.js";
import { ToolCancelledError, type ToolError } from "../../contract/errors.js";

/** Tracks running calls, so that closing can wait for them; the first calls wait until the start is done. */
export class RunningCalls implements InFlight {
  /**
   * By id, each in a holder that is emptied when the call leaves. A map that grows and shrinks with each call leaves
   * its earlier tables behind, and one of them that has become old keeps alive what the later ones held.
   */
  readonly #calls = new Map<string, { call: ReceivedCall | undefined }>();
  readonly #chores = new Set<Promise<unknown>>();
  #start: (() => Promise<void>) | undefined;
  #starting: Promise<ToolError | undefined> | undefined;
  #onIdle: (() => void) | undefined;
  #fault: ToolError | undefined;
  /** Keeps the process alive while a call runs: time limits do not, and the tool may not either. */
  #pulse: NodeJS.Timeout | undefined;
  #held = false;
  #letGoSoon = false;

  /** Set what must be done before the first call. */
  startWith(start: () => Promise<void>): void {
    this.#start = start;
  }

  enter(call: ReceivedCall): void {
    this.#calls.set(call.callId, { call });
    if (this.#held) return;
    this.#held = true;
    this.#pulse ??= setInterval(() => {}, 2 ** 31 - 1);
    this.#pulse.ref();
  }

  leave(call: ReceivedCall): void {
    const holder = this.#calls.get(call.callId);
    if (holder !== undefined) holder.call = undefined;
    this.#calls.delete(call.callId);
    if (this.#calls.size > 0) return;
    this.#onIdle?.();
    if (this.#letGoSoon) return;
    this.#letGoSoon = true;
    // Once per turn of the event loop, not once per call: consecutive calls would pay for it every time.
    setImmediate(this.#letGo);
  }

  /** Whether at most one top-level call is running. */
  get isQuiet(): boolean {
    return this.#calls.size <= 1;
  }

  /** Let the process end if nothing is running. */
  readonly #letGo = (): void => {
    this.#letGoSoon = false;
    if (this.#calls.size > 0) return;
    this.#held = false;
    this.#pulse?.unref();
  };

  /** The start, until it is done: resolves with the error that prevents calls, if there is one. */
  get starting(): Promise<ToolError | undefined> | undefined {
    if (this.#start === undefined) return undefined;
    this.#starting ??= this.#start().then(
      () => (this.#start = undefined),
      (cause: unknown) => {
        this.#starting = undefined; // the next call tries again
        return toToolError(cause, "");
      },
    );
    return this.#starting;
  }

  /** Work that closing must wait for. */
  addChore(chore: Promise<unknown>): void {
    const kept: Promise<unknown> = chore
      .catch((cause: unknown) => (this.#fault ??= toToolError(cause, "")))
      .then(() => this.#chores.delete(kept));
    this.#chores.add(kept);
  }

  /** The first error of a chore. */
  get fault(): ToolError | undefined {
    return this.#fault;
  }

  /** Wait for running calls; those that run longer than `graceMs` are cancelled. */
  async end(graceMs: number): Promise<void> {
    if (this.#calls.size > 0) {
      const timer = setTimeout(() => this.#stopAll(), Math.min(graceMs, 2 ** 31 - 1));
      await new Promise<void>((resolve) => (this.#onIdle = resolve));
      clearTimeout(timer);
    }
    await Promise.all(this.#chores);
    clearInterval(this.#pulse);
  }

  find(callId: string): ReceivedCall | undefined {
    return this.#calls.get(callId)?.call;
  }

  /** Cancel the call with that id, or all calls whose callers sent it as their id. */
  cancel(id: string, reason = "The call was cancelled by a person."): boolean {
    const named = this.find(id);
    const calls = named === undefined ? this.#all().filter(({ requestId }) => requestId === id) : [named];
    const meant = calls.filter(({ state }) => state.aborted === undefined);
    for (const call of meant) call.state.abort(new ToolCancelledError(reason));
    return meant.length > 0;
  }

  /** The caller of these calls no longer waits for an answer. */
  callerGone(callId: string): void {
    this.find(callId)?.state.callerLeft(
      new ToolCancelledError("The client that made the call has disconnected."),
    );
  }

  #stopAll(): void {
    for (const call of this.#all()) call.state.abort(new ToolCancelledError("Tenon is closing."));
  }

  #all(): ReceivedCall[] {
    return [...this.#calls.values()].flatMap(({ call }) => call ?? []);
  }
}
