import { loadDiff } from "./libraries.js";

/** How two versions of one text come together. */
export type Merge =
  | { readonly kind: "merged"; readonly lines: readonly string[] }
  /** Both changed the same lines, or lines that touch; by their numbers in the common text, from 1. */
  | { readonly kind: "conflict"; readonly startLine: number; readonly endLine: number }
  /** The texts are too different to be compared in time. */
  | { readonly kind: "too-slow" };

const timeoutMs = 500;

/**
 * Merge two versions of a text three ways. A change counts where only one side made it, or where both made the same;
 * changes of the two sides that overlap or touch are a conflict, as they are for git. A line that was added to a run of
 * equal lines may have been added anywhere in it, so that the change touches whatever touches the run.
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): Merge {
  const { diffArrays } = loadDiff();
  const compare = (side: readonly string[]): Change[] | undefined => {
    const parts = diffArrays([...base], [...side], { timeout: timeoutMs });
    return parts === undefined ? undefined : withPlaces(base, toSpans(parts));
  };
  const [left, right] = [compare(ours), compare(theirs)];
  if (left === undefined || right === undefined) return { kind: "too-slow" };
  const lines: string[] = [];
  let at = 0;
  /** The changes so far, by the side that made them. */
  const made: Record<Side, Change[]> = { ours: [], theirs: [] };
  for (const [side, change] of inOrder(left, right)) {
    const touching = made[side === "ours" ? "theirs" : "ours"].filter(({ reach }) => reach >= change.start);
    made[side].push(change);
    const other = touching.find((each) => !isSame(each, change));
    if (other !== undefined) {
      return {
        kind: "conflict",
        startLine: other.start + 1,
        endLine: Math.max(other.reach, change.reach, 1),
      };
    }
    if (touching.length > 0) continue;
    lines.push(...base.slice(at, change.start), ...change.lines);
    at = change.end;
  }
  return { kind: "merged", lines: [...lines, ...base.slice(at)] };
}

type Side = "ours" | "theirs";

/** Lines of the common text from `start` up to `end` that became others. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** A span at the first place where it has the same result, and where it ends at the last such place. */
interface Change extends Span {
  readonly reach: number;
}

function inOrder(ours: readonly Change[], theirs: readonly Change[]): [Side, Change][] {
  const all: [Side, Change][] = [
    ...ours.map((change): [Side, Change] => ["ours", change]),
    ...theirs.map((change): [Side, Change] => ["theirs", change]),
  ];
  return all.sort(([, one], [, other]) => one.start - other.start || one.end - other.end);
}

/** Among equal lines an addition or a deletion can be made in several places, up to the changes before and after it. */
function withPlaces(base: readonly string[], spans: readonly Span[]): Change[] {
  let floor = 0;
  return spans.map((span, index) => {
    const ceiling = spans[index + 1]?.start ?? base.length;
    const isAddition = span.start === span.end;
    if (!isAddition && span.lines.length > 0) {
      floor = span.end;
      return { ...span, reach: span.end };
    }
    let { start, end } = span;
    const lines = [...span.lines];
    while (start > floor && base[start - 1] === (isAddition ? lines.at(-1) : base[end - 1])) {
      start -= 1;
      end -= 1;
      if (isAddition) lines.unshift(lines.pop() as string);
    }
    let reach = span.end;
    const turned = [...span.lines];
    while (
      reach < ceiling &&
      base[reach] === (isAddition ? turned[0] : base[reach - (span.end - span.start)])
    ) {
      reach += 1;
      if (isAddition) turned.push(turned.shift() as string);
    }
    floor = end;
    return { start, end, lines, reach };
  });
}

interface DiffPart {
  readonly value: readonly string[];
  readonly added?: boolean;
  readonly removed?: boolean;
}

function toSpans(parts: readonly DiffPart[]): Span[] {
  const changes: Span[] = [];
  let at = 0;
  let open: { start: number; lines: string[] } | undefined;
  for (const { value, added, removed } of parts) {
    if (added !== true && removed !== true) {
      if (open !== undefined) changes.push({ ...open, end: at });
      open = undefined;
      at += value.length;
      continue;
    }
    open ??= { start: at, lines: [] };
    if (added === true) open.lines.push(...value);
    else at += value.length;
  }
  if (open !== undefined) changes.push({ ...open, end: at });
  return changes;
}

function isSame(one: Span, other: Span): boolean {
  if (one.start !== other.start || one.end !== other.end || one.lines.length !== other.lines.length)
    return false;
  return one.lines.every((line, at) => line === other.lines[at]);
}
