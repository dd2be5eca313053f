import { setMaxListeners } from "node:events";
import type { AccessDecision, CallMetadata } from "../contract/call.js";
import type { ToolContext } from "../contract/context.js";
import { ToolCancelledError, type ToolError } from "../contract/errors.js";
import type { KeyedCall } from "../contract/ports/answers.js";
import type { Sighting } from "../contract/ports/seen.js";
import type { Resource } from "../contract/resources.js";
import type { CallSession } from "../contract/session.js";
import type { ToolEntry } from "../registry/tool-entry.js";
import type { Checked } from "../schema/compile-schema.js";
import { takePlain } from "../schema/take-plain.js";
import type { Deadline } from "../scheduler/deadline-wheel.js";
import type { Lock } from "../scheduler/locks.js";
import type { Ticket } from "../scheduler/scheduler.js";
import type { Brood } from "./call-below.js";
import type { CallOrigin } from "./call-origin.js";
import type { SpineParts, ToolSettings } from "./parts.js";
import type { ShellAnalysis } from "./shell-commands.js";

export type { CallOrigin } from "./call-origin.js";

/**
 * One call on its way. The stages fill it from left to right; the narrower types
 * below (`ResolvedCall`, `ValidatedCall`, `AuthorisedCall`) prove how far it came.
 */
export class Call {
  callId = "";
  /** The id that the caller gave it. */
  requestId: string | undefined;
  /** The key under which its answer is kept, where the caller sent one. */
  idempotencyKey: string | undefined;
  /** It has taken its key. */
  keyed: KeyedCall | undefined;
  toolName = "";
  /** The arguments as sent; only `plain` looks into them. */
  rawArguments: unknown;
  taskId: string | undefined;
  requestedPriority: number | undefined;
  requestedTimeoutMs: number | undefined;

  entry: ToolEntry | undefined;
  settings: ToolSettings | undefined;
  /** The plain data that `input` was made from. */
  plainInput: unknown;
  input: unknown;
  reads: readonly Resource[] = noResources;
  writes: readonly Resource[] = noResources;
  locks: readonly Lock[] = [];
  /** What is known of the shell line of an input. */
  analysed: ShellAnalysis | undefined;
  decision: AccessDecision | undefined;
  ticket: Ticket | undefined;
  deadline: Deadline | undefined;
  attempts = 0;
  /** Whether the tool's own code ran: only then does a failure count against its health. */
  started = false;
  /** Something took its time before the tool could begin. */
  delayed = false;
  /** Its quotas are taken: once is enough, however often it is scheduled. */
  counted = false;
  ended = false;
  /** A call that it made brought something from outside. */
  tainted = false;
  /** What the calls below this one share, where it is the first of all. */
  brood: Brood | undefined;
  /** The call that answers in the place of this one, while it does. */
  heir: Call | undefined;
  /** The tool's promise where it goes on after the call was stopped. */
  lingering: Promise<unknown> | undefined;
  executionStarted = 0;
  executionEnded: number | undefined;
  context: ToolContext | undefined;
  /** What the tool showed of files, where its answer may be kept. */
  sightings: { path: string; sighting: Sighting }[] | undefined;
  notes: Partial<CallMetadata> | undefined;

  readonly startedAt: number;
  readonly startedMonotonic: number;
  readonly depth: number;

  #plain: Checked | undefined;
  #pauses = 0;
  #left: ToolError | undefined;
  #aborted: ToolError | undefined;
  #controller: AbortController | undefined;
  /** Most calls have one listener at a time, so the first needs no set. */
  #listener: ((reason: ToolError) => void) | undefined;
  #moreListeners: Set<(reason: ToolError) => void> | undefined;
  #unlink: (() => void) | undefined;

  readonly origin: CallOrigin;
  readonly parts: SpineParts;

  /** What it gives must not be obeyed. */
  get untrusted(): boolean {
    return this.tainted || this.settings?.annotations.openWorld === true;
  }

  constructor(origin: CallOrigin, parts: SpineParts) {
    this.origin = origin;
    this.parts = parts;
    this.startedAt = parts.clock.now();
    this.startedMonotonic = parts.clock.monotonic();
    this.depth = this.shownUnder === undefined ? 0 : this.shownUnder.depth + 1;
  }

  get session(): CallSession {
    return this.origin.session;
  }

  /** The call that this one appears below in events and records. */
  get shownUnder(): Call | undefined {
    return this.origin.fallbackFor ?? this.origin.parent;
  }

  /** The arguments as plain data, copied once however hostile they are, or what is wrong with them. */
  get plain(): Checked {
    return (this.#plain ??= takePlain(this.rawArguments ?? {}, this.parts.plainLimits));
  }

  /** The call that no other one made. */
  get root(): Call {
    return this.shownUnder === undefined ? this : this.shownUnder.root;
  }

  /** Why the call must stop, once it must. */
  get aborted(): ToolError | undefined {
    return this.#aborted;
  }

  /** Made on first use: most tools never look at it. */
  get abortSignal(): AbortSignal {
    this.#controller ??= createController();
    if (this.#aborted !== undefined && !this.#controller.signal.aborted)
      this.#controller.abort(this.#aborted);
    return this.#controller.signal;
  }

  abort(reason: ToolError): void {
    // Whoever no longer wants this answer does not want it from another tool either.
    if (reason instanceof ToolCancelledError) this.heir?.abort(reason);
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.#controller?.abort(reason);
    const listeners = [this.#listener, ...(this.#moreListeners ?? [])];
    this.#listener = this.#moreListeners = undefined;
    for (const listener of listeners) listener?.(reason);
  }

  /** Call `listener` when the call must stop, at once if it must already. */
  onAbort(listener: (reason: ToolError) => void): () => void {
    if (this.#aborted !== undefined) {
      listener(this.#aborted);
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

  /** Stop when the caller's signal fires. */
  listenTo(signal: AbortSignal): void {
    const cancel = () => this.abort(new ToolCancelledError("The caller cancelled the call."));
    // One signal may well stop a thousand calls; each takes its listener away when it ends.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", cancel, { once: true });
    const before = this.#unlink;
    this.#unlink = () => {
      before?.();
      signal.removeEventListener("abort", cancel);
    };
  }

  /** Stop when the call that made this one stops; that one's time limit is no fault of this one's tool. */
  follow(parent: Call): void {
    this.#unlink = parent.onAbort((reason) => {
      const cancelled = reason instanceof ToolCancelledError;
      this.abort(cancelled ? reason : new ToolCancelledError("The call that made this one was stopped."));
    });
  }

  /** Let the time limit run, if it does not yet. */
  startClock(limitMs: number, onDeadline: () => void): void {
    if (this.deadline !== undefined) return;
    const { deadlines } = this.parts;
    this.deadline = deadlines.add(limitMs, onDeadline);
    for (let pause = 0; pause < this.#pauses; pause++) deadlines.pause(this.deadline);
  }

  stopClock(): void {
    if (this.deadline !== undefined) this.parts.deadlines.remove(this.deadline);
    this.deadline = undefined;
  }

  /** Hold the time limits of this call and of those that wait for it, while a person is asked. */
  pauseClock(): () => void {
    const held = this.#andAbove();
    const { deadlines } = this.parts;
    for (const call of held) {
      call.#pauses++;
      if (call.deadline !== undefined) deadlines.pause(call.deadline);
      if (call.#left !== undefined) call.abort(call.#left);
    }
    return () => {
      for (const call of held.splice(0)) {
        call.#pauses--;
        if (call.deadline !== undefined) deadlines.resume(call.deadline);
      }
    };
  }

  /** Nobody takes the answer: it may end its work, but no person is asked on its behalf. */
  callerLeft(reason: ToolError): void {
    this.#left ??= reason;
    if (this.#pauses > 0) this.abort(reason);
  }

  #andAbove(): Call[] {
    const { parent } = this.origin;
    return parent === undefined ? [this] : [this, ...parent.#andAbove()];
  }

  /** Free what the call listens to; the last thing that happens to it. */
  end(): void {
    this.ended = true;
    this.#unlink?.();
    this.stopClock();
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

/** A tool may do many things at once that all stop with the call; that is no leak. */
function createController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

const noResources: readonly Resource[] = Object.freeze([]);

/** A call whose tool is known and available to this agent. */
export interface ResolvedCall extends Call {
  entry: ToolEntry;
  settings: ToolSettings;
}

declare const validated: unique symbol;
declare const authorised: unique symbol;

/** A call whose input passed the schema. */
export interface ValidatedCall extends ResolvedCall {
  readonly [validated]: true;
}

/** A call that policy, tool and, where needed, a person let through. Only `authorise` makes one. */
export interface AuthorisedCall extends ValidatedCall {
  readonly [authorised]: true;
}

export type { Outcome } from "./outcome.js";
