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
 * changes of the two sides that overlap or touch are a conflict, as they are for git.
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): Merge {
  const { diffArrays } = loadDiff();
  const compare = (side: readonly string[]): Change[] | undefined => {
    const parts = diffArrays([...base], [...side], { timeout: timeoutMs });
    return parts === undefined ? undefined : toChanges(parts);
  };
  const [left, right] = [compare(ours), compare(theirs)];
  if (left === undefined || right === undefined) return { kind: "too-slow" };
  const ordered = [...left, ...right].sort((one, other) => one.start - other.start || one.end - other.end);
  const lines: string[] = [];
  let at = 0;
  for (const [index, change] of ordered.entries()) {
    const before = ordered[index - 1];
    if (before !== undefined && isSame(before, change)) continue;
    if (before !== undefined && change.start <= before.end) {
      return { kind: "conflict", startLine: before.start + 1, endLine: Math.max(before.end, change.end, 1) };
    }
    lines.push(...base.slice(at, change.start), ...change.lines);
    at = change.end;
  }
  return { kind: "merged", lines: [...lines, ...base.slice(at)] };
}

/** Lines of the common text from `start` up to `end` that became others. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

interface DiffPart {
  readonly value: readonly string[];
  readonly added?: boolean;
  readonly removed?: boolean;
}

function toChanges(parts: readonly DiffPart[]): Change[] {
  const changes: Change[] = [];
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

function isSame(one: Change, other: Change): boolean {
  if (one.start !== other.start || one.end !== other.end || one.lines.length !== other.lines.length)
    return false;
  return one.lines.every((line, at) => line === other.lines[at]);
}
