import type { SeenFile } from "../../contract/ports/seen.js";
import { joinRuns, lastLineOf, type LineRun } from "../../text/line-runs.js";
import type { LineSpan } from "../../text/splice.js";
import { alignRuns } from "./align-lines.js";
import type { PresentLines } from "./present-lines.js";

/** What a session knows of a file, held against the file as it is now. */
export interface Freshness {
  /** Whether lines of now were seen and are unchanged; else what is wrong with them. */
  judge(span: LineSpan): "fresh" | "unseen" | "changed";
  /** Where seen lines that are no longer there hold a text. */
  changedWith(text: string): LineSpan | undefined;
  /** Nothing that was seen has changed. */
  readonly unchanged: boolean;
  /** All that was seen still stands, in its place; others at most added lines after it. */
  readonly onlyGrew: boolean;
  /** The first seen lines that have changed, by the numbers that they had, and the lines of now in their place. */
  readonly firstChange: LineChangeSeen | undefined;
  /** What is known of the file by the numbers that lines have now. */
  readonly runs: readonly LineRun[];
}

/** Lines as they were seen, and as they are now. */
export interface LineChangeSeen {
  readonly before: LineRun;
  readonly after: LineRun;
}

/** Compare what was seen with what is there. */
export function compareSeen(seen: SeenFile, present: PresentLines): Freshness {
  const lines = present.slice(1, present.count);
  const pairs = pairUp(seen.runs, lines);
  const seenAt = new Map(pairs.flatMap(({ seenLine, now }) => (now === 0 ? [] : [[now, seenLine] as const])));
  const gone = pairs.filter(({ now }) => now === 0).map(({ seenLine }) => seenLine);
  const wasShorter = seen.complete && gone.length === 0 && seenAt.size < present.count;
  const view: View = { seen, seenAt, gone, count: present.count };
  return {
    judge: (span) => judgeSpan(view, span),
    changedWith: (text) => changedWith(view, text),
    unchanged: gone.length === 0 && !wasShorter,
    onlyGrew: onlyGrew(pairs, lines),
    get firstChange() {
      return firstChange(view, lines);
    },
    get runs() {
      return joinRuns([...seenAt.keys()].map((now) => ({ start: now, lines: [lines[now - 1] ?? ""] })));
    },
  };
}

/** What is known where nothing hints at a change: the lines that matter are compared all the same. */
export function standsAsSeen(
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

/** A last line without an end may have gone on: others appended to it. */
function onlyGrew(pairs: readonly Pair[], lines: readonly string[]): boolean {
  const last = pairs.at(-1);
  return pairs.every((pair) => {
    if (pair.now === pair.seenLine) return true;
    return pair === last && pair.now === 0 && (lines[pair.seenLine - 1] ?? "").startsWith(pair.text);
  });
}

interface Pair {
  readonly seenLine: number;
  /** 0 where it is gone or changed. */
  readonly now: number;
  /** As it was seen. */
  readonly text: string;
}

function pairUp(runs: readonly LineRun[], lines: readonly string[]): Pair[] {
  const alignments = alignRuns(runs, lines);
  return runs.flatMap(({ start, lines: seen }, index) =>
    (alignments[index] ?? []).map((now, at) => ({ seenLine: start + at, now, text: seen[at] ?? "" })),
  );
}

interface View {
  readonly seen: SeenFile;
  /** By the number of now. */
  readonly seenAt: ReadonlyMap<number, number>;
  /** Seen lines that are no longer there, ascending. */
  readonly gone: readonly number[];
  readonly count: number;
}

function judgeSpan(view: View, { startLine, endLine }: LineSpan): "fresh" | "unseen" | "changed" {
  let before: number | undefined;
  for (let now = startLine; now <= endLine; now += 1) {
    const seenLine = view.seenAt.get(now);
    if (seenLine === undefined) return whyNot(view, now);
    // Lines that follow each other now but did not when they were seen: something between them went.
    if (before !== undefined && seenLine !== before + 1) return "changed";
    before = seenLine;
  }
  return "fresh";
}

/** A line that was not seen is new where all around it was, and only unknown where nobody looked. */
function whyNot({ seen, seenAt, gone, count }: View, line: number): "unseen" | "changed" {
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

/** Texts of several lines are looked for within a run; the ends of lines do not count. */
function changedWith({ seen, gone }: View, text: string): LineSpan | undefined {
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

const shownLines = 60;

function firstChange(view: View, lines: readonly string[]): LineChangeSeen | undefined {
  const nowOf = new Map([...view.seenAt].map(([now, seenLine]) => [seenLine, now]));
  let above = 0;
  for (const run of view.seen.runs) {
    // What is above a run that does not begin the file nobody has seen.
    let isNext = run.start === 1;
    for (const at of run.lines.keys()) {
      const now = nowOf.get(run.start + at) ?? 0;
      if (now === 0) return lostLines({ run, at, nowOf, above: isNext ? above : run.start + at - 1 }, lines);
      if (isNext && now > above + 1) return addedLines(run.start + at, { above, below: now }, lines);
      above = now;
      isNext = true;
    }
  }
  if (!view.seen.complete || above >= view.count) return undefined;
  return addedLines(lastOf(view.seen) + 1, { above, below: view.count + 1 }, lines);
}

interface Loss {
  readonly run: LineRun;
  /** Index in the run of the first line that is gone. */
  readonly at: number;
  readonly nowOf: ReadonlyMap<number, number>;
  /** The number of now of the line above it. */
  readonly above: number;
}

function lostLines({ run, at, nowOf, above }: Loss, lines: readonly string[]): LineChangeSeen {
  let end = at + 1;
  while (end < run.lines.length && !nowOf.has(run.start + end)) end += 1;
  const below = nowOf.get(run.start + end) ?? above + 1 + (end - at);
  const after = lines.slice(above, Math.min(below - 1, above + shownLines));
  const before = run.lines.slice(at, Math.min(end, at + shownLines));
  return { before: { start: run.start + at, lines: before }, after: { start: above + 1, lines: after } };
}

function addedLines(
  start: number,
  { above, below }: { above: number; below: number },
  lines: readonly string[],
): LineChangeSeen {
  const after = lines.slice(above, Math.min(below - 1, above + shownLines));
  return { before: { start, lines: [] }, after: { start: above + 1, lines: after } };
}

function lastOf({ runs }: SeenFile): number {
  const run = runs.at(-1);
  return run === undefined ? 0 : lastLineOf(run);
}
