/** Lets so many in at a time, in the order they came. */
export interface Slots {
  /** Wait for a place; the result gives it back. Rejects with the reason of the signal, which is read only to wait. */
  take(call: { readonly signal: AbortSignal }): (() => void) | Promise<() => void>;
  /** Wait until all places are free. */
  whenFree(): Promise<void>;
}

/** Make places for `maxTaken` calls at a time. */
export function createSlots(maxTaken: number): Slots {
  let free = maxTaken;
  const waiting: (() => void)[] = [];
  let onFree: (() => void)[] = [];
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next !== undefined) return next();
    free += 1;
    if (free < maxTaken) return;
    for (const tell of onFree) tell();
    onFree = [];
  };
  const once = (): (() => void) => {
    let given = false;
    return () => {
      if (!given) giveBack();
      given = true;
    };
  };
  return {
    whenFree: () => (free === maxTaken ? Promise.resolve() : new Promise((resolve) => onFree.push(resolve))),
    take(call) {
      if (free > 0) {
        free -= 1;
        return once();
      }
      const { signal } = call;
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          resolve(once());
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(enter), 1);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.push(enter);
      });
    },
  };
}
