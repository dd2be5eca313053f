import type { LineRun } from "../../text/line-runs.js";

/** For each line of a run the number of the same line in a text as it is now; 0 where it is gone or changed. */
export type Alignment = readonly number[];

/**
 * Find the lines of runs again in a text that was changed since. A run that stands where it stood is
 * there. Else what both begin with counts, and around lines that occur once in both whatever is equal
 * without a gap: text that only looks alike elsewhere is never taken for it.
 */
export function alignRuns(runs: readonly LineRun[], present: readonly string[]): Alignment[] {
  let places: ReadonlyMap<string, number> | undefined;
  return runs.map((run) => {
    const same = standingStill(run, present);
    if (same === run.lines.length) return run.lines.map((_, at) => run.start + at);
    places ??= onlyPlaces(present);
    return alignChanged(run, present, { places, head: same });
  });
}

/** How many lines of a run, from its first, are still just where they were. */
function standingStill({ start, lines }: LineRun, present: readonly string[]): number {
  const changed = lines.findIndex((line, at) => line !== present[start + at - 1]);
  return changed === -1 ? lines.length : changed;
}

/** The number of each line that occurs only once. */
function onlyPlaces(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [at, line] of lines.entries()) places.set(line, places.has(line) ? 0 : at + 1);
  return places;
}

interface Known {
  readonly places: ReadonlyMap<string, number>;
  /** Lines at the run's beginning that stand still. */
  readonly head: number;
}

function alignChanged(run: LineRun, present: readonly string[], { places, head }: Known): Alignment {
  const { lines, start } = run;
  const found = lines.map((_, at) => (at < head ? start + at : 0));
  const own = onlyPlaces(lines);
  const anchors: (readonly [at: number, number: number])[] = [];
  for (const [at, line] of lines.entries()) {
    const number = places.get(line) ?? 0;
    const isBelow = head === 0 || number >= start + head;
    if (at >= head && number > 0 && isBelow && (own.get(line) ?? 0) > 0) anchors.push([at, number]);
  }
  const rise = longestRise(anchors);
  const used = new Set([...found.slice(0, head), ...rise.map(([, number]) => number)]);
  for (const [at, number] of rise) extend({ found, lines, present, used }, at, number);
  return found;
}

interface Growing {
  readonly found: number[];
  readonly lines: readonly string[];
  readonly present: readonly string[];
  /** Numbers of now that are given away. */
  readonly used: Set<number>;
}

/** From an anchor on, both ways, as long as lines are equal and nothing else was found for them. */
function extend({ found, lines, present, used }: Growing, at: number, number: number): void {
  found[at] = number;
  for (const step of [-1, 1]) {
    for (let k = step; lines[at + k] !== undefined; k += step) {
      if (found[at + k] !== 0 || used.has(number + k) || lines[at + k] !== present[number + k - 1]) break;
      found[at + k] = number + k;
      used.add(number + k);
    }
  }
}

/** The longest part of the anchors in which both numbers rise. */
function longestRise(anchors: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const tails: number[] = [];
  const before: number[] = [];
  for (const [index, [, number]] of anchors.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((anchors[tails[middle] ?? 0]?.[1] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    before[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  }
  const rise: (readonly [number, number])[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const anchor = anchors[at];
    if (anchor !== undefined) rise.push(anchor);
  }
  return rise.toReversed();
}
