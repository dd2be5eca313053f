import type { FileLines } from "./file-lines.js";
import { headingPlaces, withinHeadings } from "./heading-scope.js";
import type { HunkFault, PackedHunk } from "./place-hunk.js";

/** A hunk with the headings that stand above it, in the form in which the file is searched. */
export interface HeadedHunk extends PackedHunk {
  readonly headings: readonly string[];
  readonly oldStart?: number | undefined;
}

/** Where a hunk belongs. */
export interface HeadedPlace {
  readonly at: number;
  /** Lines of the file that it covers. */
  readonly size: number;
  /** Whether its old lines match exactly, not only up to trailing blanks and typographic characters. */
  readonly exact: boolean;
}

export interface UnplacedHunk {
  /** Counted from 0. */
  readonly index: number;
  readonly reason: HunkFault;
  readonly message?: string;
  readonly lines?: readonly number[];
}

/**
 * Find the lines where hunks belong, by their old lines, headings and order. There must be exactly one way to place all
 * of them: the earliest possible places and the latest possible ones must be the same.
 */
export function placeByHeading(
  file: FileLines,
  hunks: readonly HeadedHunk[],
): readonly HeadedPlace[] | UnplacedHunk {
  const found: Candidates[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const last = hunks[index - 1];
    const isRepeated = last !== undefined && isSameSearch(hunk, last);
    const candidates = (isRepeated ? found.at(-1) : undefined) ?? findCandidates(file, hunk);
    if ("reason" in candidates) return { index: found.length, ...candidates };
    found.push(candidates);
  }
  const earliest = placeEarliest(found);
  const stuck = earliest.findIndex((at) => at === undefined);
  if (stuck !== -1) return { index: stuck, reason: "out of order" };
  const latest = placeLatest(found);
  const index = earliest.findIndex((at, hunk) => at !== latest[hunk]);
  if (index === -1) {
    return found.map(({ size, exact }, hunk) => ({ at: earliest[hunk] ?? 0, size, exact }));
  }
  const [first = 0, last = 0] = [earliest[index], latest[index]];
  const lines = found[index]?.places.filter((at) => at >= first && at <= last).slice(0, 20) ?? [];
  return { index, reason: "ambiguous", message: ambiguous, lines: lines.map((at) => at + 1) };
}

/** Patches with thousands of equal hunks would look for thousands of places thousands of times. */
function isSameSearch(one: HeadedHunk, other: HeadedHunk): boolean {
  const isEqual = (some: readonly string[], others: readonly string[]): boolean =>
    some.length === others.length && some.every((text, at) => text === others[at]);
  return (
    isEqual(one.oldLines, other.oldLines) &&
    isEqual(one.headings, other.headings) &&
    one.atEnd === other.atEnd &&
    one.oldStart === other.oldStart
  );
}

const ambiguous =
  "The hunk matches in several places. Add an '@@' line with the class or function that it belongs to, or more unchanged lines around the change.";

interface Candidates {
  /** Ascending. */
  readonly places: readonly number[];
  readonly size: number;
  readonly exact: boolean;
}

type Misfit = Omit<UnplacedHunk, "index">;

function findCandidates(file: FileLines, hunk: HeadedHunk): Candidates | Misfit {
  const { headings, oldLines } = hunk;
  const anchors = headings.length === 0 ? undefined : headingPlaces(file, headings);
  if (anchors !== undefined && "missing" in anchors) {
    const message = `No line of the file matches the heading '@@ ${anchors.missing}'.`;
    return { reason: "context not found", message };
  }
  if (oldLines.length === 0) {
    // Lines without context are added below the heading, else at the end of the file.
    const places = anchors === undefined || hunk.atEnd ? [file.count] : anchors.map((at) => at + 1);
    return { places, size: 0, exact: true };
  }
  let misfit: Misfit | undefined;
  for (const exact of [true, false]) {
    for (const lines of variantsOf(oldLines)) {
      const found = exact ? file.find(lines) : file.findLoosely(lines);
      const places = hunk.atEnd ? found.filter((at) => at + lines.length === file.count) : found;
      const inScope = anchors === undefined ? places : withinHeadings(file, anchors, places);
      if (inScope.length > 0) return { places: byNumber(inScope, hunk.oldStart), size: lines.length, exact };
      if (found.length > 0) misfit ??= outside(places.length > 0);
    }
  }
  return misfit ?? { reason: isApplied(file, hunk) ? "already applied" : "context not found" };
}

function outside(isElsewhere: boolean): Misfit {
  if (!isElsewhere) return { reason: "not at the end of the file", message: notLast };
  const message = "The lines of the hunk are in the file, but not below its heading.";
  return { reason: "context not found", message };
}

const notLast = "The hunk is marked '*** End of File', but the file has more lines after it.";

/** An empty context line at the end may be the end of the file. */
function variantsOf(oldLines: readonly string[]): readonly (readonly string[])[] {
  return oldLines.length > 1 && oldLines.at(-1) === "" ? [oldLines, oldLines.slice(0, -1)] : [oldLines];
}

/** A line number decides only between places that match. */
function byNumber(places: readonly number[], oldStart: number | undefined): readonly number[] {
  return oldStart !== undefined && places.includes(oldStart - 1) ? [oldStart - 1] : places;
}

function isApplied(file: FileLines, { newLines }: HeadedHunk): boolean {
  return newLines.length > 0 && file.find(newLines).length > 0;
}

function placeEarliest(hunks: readonly Candidates[]): (number | undefined)[] {
  let from: number | undefined = 0;
  return hunks.map(({ places, size }) => {
    const after: number | undefined = from;
    const at = after === undefined ? undefined : places[firstIndexFrom(places, after)];
    from = at === undefined ? undefined : at + size;
    return at;
  });
}

function placeLatest(hunks: readonly Candidates[]): (number | undefined)[] {
  let before = Number.POSITIVE_INFINITY;
  return hunks
    .toReversed()
    .map(({ places, size }) => {
      const at = places[firstIndexFrom(places, before - size + 1) - 1];
      before = at ?? before;
      return at;
    })
    .toReversed();
}

/** The index of the first place that is at least `from`. */
function firstIndexFrom(places: readonly number[], from: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
