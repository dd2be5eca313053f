/** A call's place among those of its session. */
export interface SendTurn {
  /** Resolved when all calls before it are on their way. */
  readonly before: Promise<void>;
  /** It is on its way itself, or never will be. */
  readonly leave: () => void;
}

/**
 * Calls of one session are sent in the order in which they were made: a large one takes longer to prepare than a small
 * one after it, and must not arrive later.
 */
export class SendTurns {
  readonly #last = new Map<string, Promise<void>>();

  take(session: string): SendTurn {
    const before = this.#last.get(session) ?? Promise.resolve();
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => (leave = resolve));
    const turn = before.then(() => left);
    this.#last.set(session, turn);
    void turn.then(() => this.#last.get(session) === turn && this.#last.delete(session));
    return { before, leave };
  }
}
