/** One at a time, in the order of coming; whoever finds nobody there goes at once, without a turn of the loop. */
export interface Turns {
  readonly taken: boolean;
  /** Take the turn, now where it is free. Rejects with the signal's reason where that fires before. */
  enter(signal?: AbortSignal): Promise<void> | undefined;
  leave(): void;
}

/** Begin an empty queue. */
export function createTurns(): Turns {
  const waiting = new Set<() => void>();
  let taken = false;
  return {
    get taken() {
      return taken;
    },
    enter(signal) {
      if (taken) return wait(waiting, signal);
      taken = true;
      return undefined;
    },
    leave() {
      const [next] = waiting;
      // The turn is handed over, not given back: nobody who comes now gets in between.
      if (next === undefined) taken = false;
      else next();
    },
  };
}

function wait(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const giveUp = (): void => {
      waiting.delete(go);
      reject(signal?.reason);
    };
    const go = (): void => {
      waiting.delete(go);
      signal?.removeEventListener("abort", giveUp);
      resolve();
    };
    waiting.add(go);
    signal?.addEventListener("abort", giveUp, { once: true });
  });
}
