/** One at a time, in the order of coming; whoever finds nobody there goes at once, without a turn of the loop. */
export interface Turns {
  readonly taken: boolean;
  /** Take the turn, now where it is free. */
  enter(): Promise<void> | undefined;
  leave(): void;
}

/** Begin an empty queue. */
export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let taken = false;
  return {
    get taken() {
      return taken;
    },
    enter() {
      if (taken) return new Promise<void>((go) => waiting.push(go));
      taken = true;
      return undefined;
    },
    leave() {
      const next = waiting.shift();
      // The turn is handed over, not given back: nobody who comes now gets in between.
      if (next === undefined) taken = false;
      else next();
    },
  };
}
