import { ToolDefinitionError } from "../contract/errors.js";
import type { TenonEvents } from "../contract/events.js";
import type { StateChange, ToolState } from "../contract/lifecycle.js";
import type { Clock } from "../contract/ports/clock.js";

/** Every legal change of state. */
export const legalTransitions: Readonly<Record<ToolState, readonly ToolState[]>> = Object.freeze({
  Registered: ["Initializing", "Unregistered"],
  Initializing: ["Ready", "Failed"],
  Ready: ["Executing", "Disabled", "Unregistered"],
  Executing: ["Ready", "Error"],
  Error: ["Ready", "Disabled", "Unregistered"],
  Failed: ["Initializing", "Unregistered"],
  Disabled: ["Ready", "Unregistered"],
  Unregistered: [],
});

const table = new Map(Object.entries(legalTransitions).map(([from, to]) => [from, new Set(to)]));

/** Whether the life cycle allows the change. */
export function canTransition(from: ToolState, to: ToolState): boolean {
  // Every call makes these two, so they are checked before the table.
  if (from === "Ready" && to === "Executing") return true;
  if (from === "Executing" && to === "Ready") return true;
  return table.get(from)?.has(to) === true;
}

/** What listeners of transitions get. */
export type Transition = TenonEvents["TOOL_STATE_CHANGED"];

/** Where a life cycle reports to; `active` is false while nobody listens. */
export interface TransitionWatch {
  readonly active: boolean;
  before(transition: Transition): void;
  after(transition: Transition): void;
}

const remembered = 200;

/** One tool's state and the last 200 changes of it. */
export class Lifecycle {
  readonly #owner: { readonly name: string; readonly version: string };
  readonly #clock: Pick<Clock, "now">;
  readonly #watch: TransitionWatch;
  #state: ToolState = "Registered";
  // A ring in columns: two changes a call must not leave objects behind.
  readonly #from: ToolState[] = [];
  readonly #to: ToolState[] = [];
  readonly #at: number[] = [];
  readonly #reason: (string | undefined)[] = [];
  #next = 0;
  #moving = false;
  #started: Transition | undefined;
  #ended: Transition | undefined;

  constructor(
    owner: { readonly name: string; readonly version: string },
    clock: Pick<Clock, "now">,
    watch: TransitionWatch,
  ) {
    this.#owner = owner;
    this.#clock = clock;
    this.#watch = watch;
  }

  get state(): ToolState {
    return this.#state;
  }

  /** True while "before" listeners run: they must not change the state. */
  get moving(): boolean {
    return this.#moving;
  }

  /** Change the state, or throw TRANSITION_ILLEGAL. */
  move(to: ToolState, reason?: string): void {
    const from = this.#state;
    if (!canTransition(from, to)) throw illegal(this.#owner.name, from, to);
    if (!this.#watch.active) {
      this.#set(from, to, reason);
      return;
    }
    const transition = this.#transition(from, to, reason);
    this.#moving = true;
    this.#watch.before(transition);
    this.#moving = false;
    this.#set(from, to, reason);
    this.#watch.after(transition);
  }

  /** The changes that are remembered, oldest first. */
  history(): readonly StateChange[] {
    const count = this.#at.length;
    const first = count < remembered ? 0 : this.#next;
    return Array.from({ length: count }, (_, offset) => this.#change((first + offset) % count));
  }

  #set(from: ToolState, to: ToolState, reason: string | undefined): void {
    this.#state = to;
    const slot = this.#next;
    this.#from[slot] = from;
    this.#to[slot] = to;
    this.#at[slot] = this.#clock.now();
    this.#reason[slot] = reason;
    this.#next = slot + 1 === remembered ? 0 : slot + 1;
  }

  #change(slot: number): StateChange {
    const reason = this.#reason[slot];
    return {
      from: this.#from[slot] as ToolState,
      to: this.#to[slot] as ToolState,
      at: this.#at[slot] as number,
      ...(reason !== undefined && { reason }),
    };
  }

  /** The two transitions of every call are made once and handed out again. */
  #transition(from: ToolState, to: ToolState, reason: string | undefined): Transition {
    if (reason === undefined && to === "Executing") return (this.#started ??= this.#describe(from, to));
    if (reason === undefined && from === "Executing" && to === "Ready") {
      return (this.#ended ??= this.#describe(from, to));
    }
    return this.#describe(from, to, reason);
  }

  #describe(from: ToolState, to: ToolState, reason?: string): Transition {
    const { name, version } = this.#owner;
    return Object.freeze({
      toolName: name,
      version,
      from,
      to,
      ...(reason !== undefined && { reason }),
    });
  }
}

function illegal(toolName: string, from: ToolState, to: ToolState): ToolDefinitionError {
  const legal = legalTransitions[from];
  return new ToolDefinitionError(`Tool "${toolName}" cannot go from ${from} to ${to}.`, {
    code: "TRANSITION_ILLEGAL",
    toolName,
    hint:
      legal.length === 0 ? `${from} is the final state.` : `From ${from} it can go to ${legal.join(", ")}.`,
  });
}

/** A listener of transitions; what it throws is dropped. */
export type TransitionListener = (transition: Transition) => void;

/** Notifies listeners of every transition; one that throws changes nothing. */
export class TransitionHub implements TransitionWatch {
  readonly #listeners = { before: new Set<TransitionListener>(), after: new Set<TransitionListener>() };
  readonly #emit: TransitionListener | undefined;
  readonly #isHeard: (() => boolean) | undefined;

  /** @param isHeard Whether anybody listens to what is emitted. Default: always. */
  constructor(emit?: TransitionListener, isHeard?: () => boolean) {
    this.#emit = emit;
    this.#isHeard = isHeard;
  }

  get active(): boolean {
    const { before, after } = this.#listeners;
    if (before.size > 0 || after.size > 0) return true;
    return this.#emit !== undefined && (this.#isHeard?.() ?? true);
  }

  add(listener: TransitionListener, phase: "before" | "after"): () => void {
    const listeners = this.#listeners[phase];
    // Wrapped, so that the same function added twice is removed once at a time.
    const own: TransitionListener = (transition) => listener(transition);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  before(transition: Transition): void {
    for (const listener of this.#listeners.before) attempt(listener, transition);
  }

  after(transition: Transition): void {
    for (const listener of this.#listeners.after) attempt(listener, transition);
    if (this.#emit !== undefined) attempt(this.#emit, transition);
  }
}

/** Call a listener; what it throws, or rejects with, is dropped. */
export function attempt<Argument>(listener: (argument: Argument) => unknown, argument: Argument): void {
  try {
    const returned = listener(argument);
    // A rejection of an async listener must not end the process.
    if (returned instanceof Promise) returned.catch(() => undefined);
  } catch {
    // A listener that throws must not affect the tool.
  }
}
