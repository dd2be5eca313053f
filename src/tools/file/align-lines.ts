import type { LineRun } from "../../text/line-runs.js";

/** For each line of a run, the number of the same line in the current text; 0 if it is gone or changed. */
export type Alignment = readonly number[];

/**
 * Find the lines of runs in a text that has changed since. Lines at the start of a run that are still in the same
 * position match. After that, lines that occur exactly once in both match, together with equal lines directly around
 * them: similar text elsewhere is never mistaken for a line.
 */
export function alignRuns(runs: readonly LineRun[], present: readonly string[]): Alignment[] {
  let uniqueNow: ReadonlyMap<string, number> | undefined;
  return runs.map((run) => {
    const same = unmovedLines(run, present);
    if (same === run.lines.length) return run.lines.map((_, at) => run.start + at);
    uniqueNow ??= uniqueLines(present);
    return alignChanged(run, present, { uniqueNow, head: same });
  });
}

/** How many lines from the start of a run are still in the same position. */
function unmovedLines({ start, lines }: LineRun, present: readonly string[]): number {
  const changed = lines.findIndex((line, at) => line !== present[start + at - 1]);
  return changed === -1 ? lines.length : changed;
}

/** The line numbers of lines that occur only once; 0 for others. */
function uniqueLines(lines: readonly string[]): Map<string, number> {
  const uniqueNow = new Map<string, number>();
  for (const [at, line] of lines.entries()) uniqueNow.set(line, uniqueNow.has(line) ? 0 : at + 1);
  return uniqueNow;
}

interface AlignOptions {
  readonly uniqueNow: ReadonlyMap<string, number>;
  /** Number of lines at the start of the run that did not move. */
  readonly head: number;
}

function alignChanged(
  run: LineRun,
  present: readonly string[],
  { uniqueNow, head }: AlignOptions,
): Alignment {
  const { lines, start } = run;
  const found = lines.map((_, at) => (at < head ? start + at : 0));
  const own = uniqueLines(lines);
  const anchors: (readonly [at: number, number: number])[] = [];
  for (const [at, line] of lines.entries()) {
    const number = uniqueNow.get(line) ?? 0;
    const isBelow = head === 0 || number >= start + head;
    if (at >= head && number > 0 && isBelow && (own.get(line) ?? 0) > 0) anchors.push([at, number]);
  }
  const increasing = longestIncreasing(anchors);
  const used = new Set([...found.slice(0, head), ...increasing.map(([, number]) => number)]);
  for (const [at, number] of increasing) extendMatch({ found, lines, present, used }, at, number);
  return found;
}

interface MatchState {
  readonly found: number[];
  readonly lines: readonly string[];
  readonly present: readonly string[];
  /** Current line numbers that are already matched. */
  readonly used: Set<number>;
}

/** Extend a match in both directions while lines are equal and not matched otherwise. */
function extendMatch({ found, lines, present, used }: MatchState, at: number, number: number): void {
  found[at] = number;
  for (const step of [-1, 1]) {
    for (let k = step; lines[at + k] !== undefined; k += step) {
      if (found[at + k] !== 0 || used.has(number + k) || lines[at + k] !== present[number + k - 1]) break;
      found[at + k] = number + k;
      used.add(number + k);
    }
  }
}

/** The longest subsequence of the anchors in which both numbers increase. */
function longestIncreasing(anchors: readonly (readonly [number, number])[]): (readonly [number, number])[] {
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
  const increasing: (readonly [number, number])[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const anchor = anchors[at];
    if (anchor !== undefined) increasing.push(anchor);
  }
  return increasing.toReversed();
}
