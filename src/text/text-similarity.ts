import { foldLine } from "./fold-text.js";

/** More of a line is not compared. */
const maxCompared = 500;

/** How alike two lines are, from 0 to 1; what only looks different counts little. */
export function lineSimilarity(left: string, right: string): number {
  if (left === right) return 1;
  const [a, b] = [foldLine(left.slice(0, maxCompared)), foldLine(right.slice(0, maxCompared))];
  return a === b ? 0.97 : 0.95 * sharedPairs(a, b);
}

/** The share of neighboring characters that both have (the coefficient of Dice). */
function sharedPairs(left: string, right: string): number {
  if (left.length < 2 || right.length < 2) return 0;
  const counts = new Map<string, number>();
  for (let at = 0; at + 1 < left.length; at += 1) {
    const pair = left.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let at = 0; at + 1 < right.length; at += 1) {
    const pair = right.slice(at, at + 2);
    const left = counts.get(pair) ?? 0;
    if (left > 0) {
      counts.set(pair, left - 1);
      shared += 1;
    }
  }
  return (2 * shared) / (left.length + right.length - 2);
}
