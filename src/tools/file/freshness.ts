import type { SeenFile } from "../../contract/ports/seen.js";
import type { LinePart } from "../../text/line-parts.js";
import { hasLine, joinRuns, lastLineOf, type LineRun } from "../../text/line-runs.js";
import type { LineSpan } from "../../text/splice.js";
import { alignRuns } from "./align-lines.js";
import { isKnownText, partsIn, type CharSpan, type KnownLines } from "./known-lines.js";
import type { PresentLines } from "./present-lines.js";

/** What a session knows about a file, compared with the current file. */
export interface Freshness {
  /** Whether current lines, or a text within them, were seen and are unchanged. */
  judge(span: LineSpan, textIn?: () => CharSpan): "fresh" | "unseen" | "changed";
  /** Seen lines that contain the text and have changed since. */
  changedWith(text: string): LineSpan | undefined;
  /** Whether everything that was seen is unchanged. */
  readonly unchanged: boolean;
  /** Whether everything that was seen is unchanged, except that lines were added at the end. */
  readonly onlyGrew: boolean;
  /** The first seen lines that have changed, and the current lines in their place. */
  readonly firstChange: LineChangeSeen | undefined;
  /** The known lines, and parts of lines, by their current numbers. */
  readonly known: KnownLines;
}

/** Lines as they were seen, and the current ones. */
export interface LineChangeSeen {
  readonly before: LineRun;
  readonly after: LineRun;
}

/** Compare what was seen with the current lines. */
export function compareSeen(seen: SeenFile, present: PresentLines): Freshness {
  const lines = present.slice(1, present.count);
  const pairs = pairUp(seen.runs, lines);
  const seenAt = new Map(pairs.flatMap(({ seenLine, now }) => (now === 0 ? [] : [[now, seenLine] as const])));
  const gone = pairs.filter(({ now }) => now === 0).map(({ seenLine }) => seenLine);
  const wasShorter = seen.complete && gone.length === 0 && seenAt.size < present.count;
  const comparison: Comparison = { seen, seenAt, gone, count: present.count };
  let foundParts: readonly LinePart[] | undefined;
  const parts = (): readonly LinePart[] => (foundParts ??= partsIn(seen.parts ?? [], lines));
  return {
    judge(span, textIn) {
      const verdict = judgeSpan(comparison, span);
      if (verdict === "fresh" || textIn === undefined || parts().length === 0) return verdict;
      const isLineKnown = (line: number): boolean =>
        judgeSpan(comparison, { startLine: line, endLine: line }) === "fresh";
      return isKnownText({ isLineKnown, parts: parts() }, span, textIn()) ? "fresh" : verdict;
    },
    changedWith: (text) => changedWith(comparison, text),
    unchanged: gone.length === 0 && !wasShorter,
    onlyGrew: onlyGrew(pairs, lines),
    get firstChange() {
      return firstChange(comparison, lines);
    },
    get known() {
      const runs = joinRuns([...seenAt.keys()].map((now) => ({ start: now, lines: [lines[now - 1] ?? ""] })));
      return { runs, parts: parts().filter(({ line }) => !hasLine(runs, line)) };
    },
  };
}

/** Whether the lines of a span were seen and are still at the same numbers, unchanged. */
export function isUnchangedInPlace(
  seen: SeenFile,
  present: PresentLines,
  { startLine, endLine }: LineSpan,
): boolean {
  const run = seen.runs.find((each) => each.start <= startLine && lastLineOf(each) >= endLine);
  if (run === undefined) return false;
  for (let number = startLine; number <= endLine; number += 1) {
    if (run.lines[number - run.start] !== present.line(number)) return false;
  }
  return true;
}

/** Text may have been appended to a last line without a line end. */
function onlyGrew(pairs: readonly LinePair[], lines: readonly string[]): boolean {
  const last = pairs.at(-1);
  return pairs.every((pair) => {
    if (pair.now === pair.seenLine) return true;
    return pair === last && pair.now === 0 && (lines[pair.seenLine - 1] ?? "").startsWith(pair.text);
  });
}

interface LinePair {
  readonly seenLine: number;
  /** 0 if it is gone or changed. */
  readonly now: number;
  /** The text that was seen. */
  readonly text: string;
}

function pairUp(runs: readonly LineRun[], lines: readonly string[]): LinePair[] {
  const alignments = alignRuns(runs, lines);
  return runs.flatMap(({ start, lines: seen }, index) =>
    (alignments[index] ?? []).map((now, at) => ({ seenLine: start + at, now, text: seen[at] ?? "" })),
  );
}

interface Comparison {
  readonly seen: SeenFile;
  /** Seen line numbers by current line number. */
  readonly seenAt: ReadonlyMap<number, number>;
  /** Numbers of seen lines that are gone or changed, ascending. */
  readonly gone: readonly number[];
  readonly count: number;
}

function judgeSpan(comparison: Comparison, { startLine, endLine }: LineSpan): "fresh" | "unseen" | "changed" {
  let before: number | undefined;
  for (let now = startLine; now <= endLine; now += 1) {
    const seenLine = comparison.seenAt.get(now);
    if (seenLine === undefined) return unseenOrChanged(comparison, now);
    // The lines were not adjacent when they were seen: something between them was removed.
    if (before !== undefined && seenLine !== before + 1) return "changed";
    before = seenLine;
  }
  return "fresh";
}

/** An unseen line is new if the lines around it were seen as adjacent; otherwise it was just not read. */
function unseenOrChanged({ seen, seenAt, gone, count }: Comparison, line: number): "unseen" | "changed" {
  if (seen.complete) return "changed";
  let above = 0;
  for (let now = line - 1; now >= 1 && above === 0; now -= 1) above = seenAt.get(now) ?? 0;
  let below = Number.POSITIVE_INFINITY;
  for (let now = line + 1; now <= count && below === Number.POSITIVE_INFINITY; now += 1) {
    below = seenAt.get(now) ?? below;
  }
  if (above > 0 && below === above + 1) return "changed";
  return gone.some((number) => number > above && number < below) ? "changed" : "unseen";
}

/** A text of several lines is searched within a run, ignoring the kind of line ends. */
function changedWith({ seen, gone }: Comparison, text: string): LineSpan | undefined {
  if (gone.length === 0) return undefined;
  const lost = new Set(gone);
  const wanted = text.replaceAll(/\r\n?/g, "\n");
  for (const { start, lines } of seen.runs) {
    const joined = lines.join("\n");
    let counted = 0;
    let startLine = start;
    for (let at = joined.indexOf(wanted); at !== -1; at = joined.indexOf(wanted, at + 1)) {
      startLine += countFeeds(joined, counted, at);
      counted = at;
      const endLine = startLine + countFeeds(wanted, 0, wanted.length - 1);
      for (let line = startLine; line <= endLine; line += 1)
        if (lost.has(line)) return { startLine, endLine };
    }
  }
  return undefined;
}

function countFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

const maxShownLines = 60;

function firstChange(comparison: Comparison, lines: readonly string[]): LineChangeSeen | undefined {
  const nowOf = new Map([...comparison.seenAt].map(([now, seenLine]) => [seenLine, now]));
  let above = 0;
  for (const run of comparison.seen.runs) {
    // The lines above a run were not seen, unless it starts at the first line.
    let isNext = run.start === 1;
    for (const at of run.lines.keys()) {
      const now = nowOf.get(run.start + at) ?? 0;
      if (now === 0) return lostLines({ run, at, nowOf, above: isNext ? above : run.start + at - 1 }, lines);
      if (isNext && now > above + 1) return addedLines(run.start + at, { above, below: now }, lines);
      above = now;
      isNext = true;
    }
  }
  if (!comparison.seen.complete || above >= comparison.count) return undefined;
  return addedLines(lastSeenLine(comparison.seen) + 1, { above, below: comparison.count + 1 }, lines);
}

interface LostLines {
  readonly run: LineRun;
  /** Index in the run of the first line that is gone or changed. */
  readonly at: number;
  readonly nowOf: ReadonlyMap<number, number>;
  /** The current number of the line above it. */
  readonly above: number;
}

function lostLines({ run, at, nowOf, above }: LostLines, lines: readonly string[]): LineChangeSeen {
  let end = at + 1;
  while (end < run.lines.length && !nowOf.has(run.start + end)) end += 1;
  const below = nowOf.get(run.start + end) ?? above + 1 + (end - at);
  const after = lines.slice(above, Math.min(below - 1, above + maxShownLines));
  const before = run.lines.slice(at, Math.min(end, at + maxShownLines));
  return { before: { start: run.start + at, lines: before }, after: { start: above + 1, lines: after } };
}

function addedLines(
  start: number,
  { above, below }: { above: number; below: number },
  lines: readonly string[],
): LineChangeSeen {
  const after = lines.slice(above, Math.min(below - 1, above + maxShownLines));
  return { before: { start, lines: [] }, after: { start: above + 1, lines: after } };
}

function lastSeenLine({ runs }: SeenFile): number {
  const run = runs.at(-1);
  return run === undefined ? 0 : lastLineOf(run);
}
