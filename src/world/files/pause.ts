import { setImmediate as nextTurn } from "node:timers/promises";

const maxBlockMs = 8;

/** A function that, called between steps of long synchronous work, lets other work run every few milliseconds. */
export function createPause(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < maxBlockMs) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}
