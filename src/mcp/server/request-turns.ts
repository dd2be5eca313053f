/** Of more requests the first would wait too long for the work of the last. */
const maxTogether = 8;

/**
 * Lets requests that came in one turn of the event loop go on together, once they are all read: the records of their
 * calls share one write to the log, and a client is not woken for each answer by itself.
 */
export class RequestTurns {
  #waiting: (() => void)[] = [];

  /** Resolves when what came in this turn is read. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      const together = this.#waiting;
      if (together.push(resolve) === 1) setImmediate(() => this.#start(together));
      if (together.length === maxTogether) this.#waiting = [];
    });
  }

  #start(together: readonly (() => void)[]): void {
    if (this.#waiting === together) this.#waiting = [];
    for (const go of together) go();
  }
}
