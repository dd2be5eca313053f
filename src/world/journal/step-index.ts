import path from "node:path";

/** Finds the last planned step that concerns a path, in a time that does not depend on the number of steps. */
export interface StepIndex {
  /** Note that a step, with a number that only grows, concerns a path. */
  add(real: string, seq: number): void;
  /** The last step before `limit` at the path or a directory above it; -1 if there is none. */
  lastAbove(real: string, limit: number): number;
  /** The last step before `limit` at something below the path; -1 if there is none. */
  lastBelow(real: string, limit: number): number;
}

export function createStepIndex(): StepIndex {
  const own = new Map<string, number[]>();
  const below = new Map<string, number[]>();
  return {
    add(real, seq) {
      note(own, real, seq);
      for (const above of directoriesAbove(real)) note(below, above, seq);
    },
    lastAbove(real, limit) {
      let last = lastBefore(own.get(real), limit);
      for (const above of directoriesAbove(real)) last = Math.max(last, lastBefore(own.get(above), limit));
      return last;
    },
    lastBelow: (real, limit) => lastBefore(below.get(real), limit),
  };
}

/** All directories above a path, the nearest first. */
export function* directoriesAbove(real: string): Generator<string> {
  for (let at = path.dirname(real), last = real; at !== last; at = path.dirname(at)) {
    yield at;
    last = at;
  }
}

function note(index: Map<string, number[]>, real: string, seq: number): void {
  const known = index.get(real);
  if (known === undefined) index.set(real, [seq]);
  else if (known.at(-1) !== seq) known.push(seq);
}

function lastBefore(steps: readonly number[] | undefined, limit: number): number {
  if (steps === undefined) return -1;
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return steps[low - 1] ?? -1;
}
