import type { Transition, TransitionWatch } from "./lifecycle.js";

/** A listener of transitions; what it throws is dropped. */
export type TransitionListener = (transition: Transition) => void;

/** Tells listeners about every transition; one that throws harms nobody and vetoes nothing. */
export class TransitionHub implements TransitionWatch {
  readonly #listeners = { before: new Set<TransitionListener>(), after: new Set<TransitionListener>() };
  readonly #emit: TransitionListener | undefined;
  #active: boolean;

  constructor(emit?: TransitionListener) {
    this.#emit = emit;
    this.#active = emit !== undefined;
  }

  get active(): boolean {
    return this.#active;
  }

  add(listener: TransitionListener, phase: "before" | "after"): () => void {
    const listeners = this.#listeners[phase];
    // Wrapped, so that the same function added twice is removed once at a time.
    const own: TransitionListener = (transition) => listener(transition);
    listeners.add(own);
    this.#refresh();
    return () => {
      listeners.delete(own);
      this.#refresh();
    };
  }

  before(transition: Transition): void {
    for (const listener of this.#listeners.before) attempt(listener, transition);
  }

  after(transition: Transition): void {
    for (const listener of this.#listeners.after) attempt(listener, transition);
    if (this.#emit !== undefined) attempt(this.#emit, transition);
  }

  #refresh(): void {
    const { before, after } = this.#listeners;
    this.#active = this.#emit !== undefined || before.size > 0 || after.size > 0;
  }
}

/** Call a listener; what it throws, or rejects with, is dropped. */
export function attempt<Argument>(listener: (argument: Argument) => unknown, argument: Argument): void {
  try {
    const returned = listener(argument);
    // An async listener must not end the process by a rejection that nobody sees.
    if (returned instanceof Promise) returned.catch(() => undefined);
  } catch {
    // A listener's fault is its own.
  }
}
