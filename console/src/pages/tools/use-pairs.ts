import { useState } from "react";

export type Pair = readonly [key: string, value: unknown];

/**
 * The members of a map while they are typed in: two may have the same name for a moment, which no object can hold.
 * Their value is told once each has a name of its own.
 */
export function usePairs(
  value: Readonly<Record<string, unknown>>,
  tell: (next: Readonly<Record<string, unknown>>, isBroken: boolean) => void,
): readonly [pairs: readonly Pair[], set: (next: readonly Pair[]) => void] {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => Object.entries(value));
  const [told, setTold] = useState(() => JSON.stringify(value));
  const given = JSON.stringify(value);
  // An example was chosen, or the value was changed as JSON.
  if (given !== told) {
    setTold(given);
    setPairs(Object.entries(value));
  }
  const set = (next: readonly Pair[]) => {
    const isBroken = next.some((_, at) => keyProblem(next, at) !== undefined);
    setPairs(next);
    const taken = isBroken ? value : Object.fromEntries(next);
    setTold(JSON.stringify(taken));
    tell(taken, isBroken);
  };
  return [pairs, set];
}

/** What is wrong with the name of a member. */
export function keyProblem(pairs: readonly Pair[], at: number): "empty" | "twice" | undefined {
  const key = pairs[at]?.[0] ?? "";
  if (key === "") return "empty";
  return pairs.findIndex(([other]) => other === key) === at ? undefined : "twice";
}
