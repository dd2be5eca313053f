/** A first-in, first-out mutex; without contention it is entered synchronously. */
export interface Mutex {
  readonly taken: boolean;
  /** Wait for the turn; `undefined` if it is free. Rejects with the signal's reason if that fires first. */
  enter(signal?: AbortSignal): Promise<void> | undefined;
  leave(): void;
}

export function createMutex(): Mutex {
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
      // The turn is handed over directly, so that no newcomer can take it.
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
