import { decodeText } from "./decode-text.js";
import type { DecodedText } from "./decoded-text.js";
import { findMatch, type Match, type MatchedHow, type Span } from "./find-match.js";
import { createSpliceMaker, unwritable, readsAsMeant, runsTogether } from "./make-splice.js";
import { nearestText, type NearestText } from "./nearest-text.js";
import { createSearchSpace, type SearchSpace } from "./search-space.js";
import type { LineSpan, Splice } from "./splice.js";

/** Put one text in the place of another. */
export interface TextEdit {
  readonly oldStr: string;
  readonly newStr: string;
  /** Replace every occurrence instead of the only one. @default false */
  readonly replaceAll?: boolean | undefined;
}

/** The effect of an edit on the bytes of a file, or why it cannot be made. */
export type EditPlan = PlannedEdit | RefusedEdit;

export interface PlannedEdit {
  readonly ok: true;
  /** Ascending, not overlapping, and as small as possible; all other bytes stay the same. */
  readonly splices: readonly Splice[];
  readonly how: MatchedHow;
  /** Where the old text is, for each replacement. */
  readonly spans: readonly ReplacedSpan[];
  readonly replacements: number;
  readonly encoding: string;
}

/** The lines that a text covers, and its bytes in them. */
export interface ReplacedSpan extends LineSpan {
  readonly start: number;
  readonly end: number;
}

export type RefusedEdit =
  | { readonly ok: false; readonly fault: "not-found"; readonly nearest?: NearestText }
  | {
      readonly ok: false;
      readonly fault: "not-unique";
      /** Counted up to 100,000. */
      readonly count: number;
      /** Where the first of them begin. */
      readonly lines: readonly number[];
    }
  | { readonly ok: false; readonly fault: "not-exact"; readonly reason: string };

/** Plan an edit of a file as splices of its bytes. */
export function planEdit(bytes: Uint8Array, edit: TextEdit, encoding = "auto"): EditPlan {
  if (!edit.oldStr.isWellFormed() || !edit.newStr.isWellFormed()) {
    return refuse("The text contains half of a surrogate pair, which no encoding can hold.");
  }
  const decoded = decodeText(bytes, encoding);
  const space = createSearchSpace(bytes, decoded);
  if (edit.oldStr === "") return planFirstText(space, decoded, edit.newStr);
  const wanted = {
    oldText: space.pack(edit.oldStr),
    newText: space.pack(edit.newStr),
    replaceAll: edit.replaceAll === true,
  };
  const match = findMatch(space, wanted);
  if (match === undefined) return refuseAbsent(decoded, edit.oldStr);
  if (match.spans.length > 1 && !wanted.replaceAll) return refuseMany(space, match.spans);
  return planMatch(bytes, { space, decoded, match, edit });
}

/** An empty old text is found only where there is no text at all. */
function planFirstText(space: SearchSpace, decoded: DecodedText, newStr: string): EditPlan {
  if (space.length > 0) return { ok: false, fault: "not-found" };
  const data = decoded.encode(newStr);
  if (data === undefined) return refuse(unwritable(newStr, decoded));
  const at = space.byteOffset(0);
  return {
    ok: true,
    splices: data.length === 0 ? [] : [{ start: at, end: at, data }],
    how: "exact",
    spans: [{ startLine: 1, endLine: 1, start: at, end: at }],
    replacements: 1,
    encoding: decoded.encoding,
  };
}

interface Found {
  readonly space: SearchSpace;
  readonly decoded: DecodedText;
  readonly match: Match;
  readonly edit: TextEdit;
}

function planMatch(bytes: Uint8Array, { space, decoded, match, edit }: Found): EditPlan {
  const toSplice = createSpliceMaker(space, decoded);
  const isMeant = !match.newText.includes("\n") || keepsOwnLineEnds(match.how, edit);
  const place = isMeant ? undefined : createPlaceText(space);
  const splices: Splice[] = [];
  const changes: { span: Span; newText: string }[] = [];
  for (const span of match.spans) {
    const newText = place === undefined ? match.newText : place(span, match.newText);
    const made = toSplice(span, newText);
    if ("reason" in made) return refuse(made.reason);
    if (made.data.length > 0 || made.end > made.start) splices.push(made);
    changes.push({ span, newText });
  }
  if (!space.isBytes && !readsAsMeant(bytes, decoded, { splices, changes }))
    return refuse(runsTogether(decoded.encoding));
  return {
    ok: true,
    splices,
    how: match.how,
    spans: locate(space, match.spans),
    replacements: match.spans.length,
    encoding: decoded.encoding,
  };
}

/** Who wrote carriage returns and matched with them, or changes nothing but line ends, means them. */
function keepsOwnLineEnds(how: MatchedHow, { oldStr, newStr }: TextEdit): boolean {
  if (how !== "exact") return false;
  return oldStr.includes("\r") || (newStr.includes("\r") && newStr.replaceAll("\r\n", "\n") === oldStr);
}

function locate(space: SearchSpace, spans: readonly Span[]): ReplacedSpan[] {
  const located: ReplacedSpan[] = [];
  let line = 1;
  let at = 0;
  for (const { start, end } of spans) {
    line += space.countLineEnds(at, start);
    const startLine = line;
    // A line end at the end of the span belongs to its last line.
    at = Math.max(start, end - 1);
    line += space.countLineEnds(start, at);
    located.push({ startLine, endLine: line, start: space.byteOffset(start), end: space.byteOffset(end) });
  }
  return located;
}

const maxShownLines = 50;

function refuseMany(space: SearchSpace, spans: readonly Span[]): EditPlan {
  const lines = locate(space, spans.slice(0, maxShownLines)).map(({ startLine }) => startLine);
  return { ok: false, fault: "not-unique", count: spans.length, lines };
}

function refuseAbsent(decoded: DecodedText, oldStr: string): EditPlan {
  if (oldStr.includes("\uFFFD") && decoded.text.includes(oldStr)) {
    return refuse(
      `old_str covers bytes that are not valid ${decoded.encoding} text (shown as "\uFFFD"); edit the text around them.`,
    );
  }
  const nearest = nearestText(decoded.text, oldStr);
  return { ok: false, fault: "not-found", ...(nearest === undefined ? {} : { nearest }) };
}

function refuse(reason: string): EditPlan {
  return { ok: false, fault: "not-exact", reason };
}

/** Writes a new text with the line ends of the place where it lands. */
type PlaceText = (span: Span, newText: string) => string;

/** Make the function that gives new texts their line ends; it expects spans in ascending order. */
function createPlaceText(space: SearchSpace): PlaceText {
  const landing = createLanding(space);
  return (span, newText) => {
    const lines = newText.replaceAll("\r\n", "\n");
    const old = space.slice(span.start, span.end);
    if (!/[\r\n]/.test(old)) return lines.replaceAll("\n", landing(span));
    return old.includes("\r") ? takeLineEnds(old, lines) : lines;
  };
}

/** The line end at a span: that of its line, otherwise the one before it, otherwise a line feed. */
function createLanding(space: SearchSpace): (span: Span) => string {
  const findFeed = space.finder("\n");
  let next = -2;
  let last: string | undefined;
  const endAt = (feed: number): string => (space.slice(feed - 1, feed) === "\r" ? "\r\n" : "\n");
  return ({ end }) => {
    if (next !== -1 && next < end) next = findFeed(end);
    if (next !== -1) return endAt(next);
    // Nothing follows, and so for every later span: what stands before is found once.
    last ??= lastLineEnd(space, endAt);
    return last;
  };
}

function lastLineEnd(space: SearchSpace, endAt: (feed: number) => string): string {
  const feed = space.packed.lastIndexOf("\n");
  if (feed !== -1) return endAt(feed);
  return space.packed.includes("\r") ? "\r" : "\n";
}

/**
 * Lines that stay, and lines that replace as many others, keep the line ends that stood there; where lines
 * are added or taken away, the new ones take the kind that is most frequent in the old text.
 */
function takeLineEnds(old: string, newText: string): string {
  const oldLines = old.split(/\r\n|\n|\r/);
  const ends = old.match(/\r\n|\n|\r/g) ?? [];
  const newLines = newText.split("\n");
  const shorter = Math.min(oldLines.length, newLines.length);
  let head = 0;
  while (head < shorter && oldLines[head] === newLines[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail += 1;
  const grown = newLines.length - oldLines.length;
  const usual = mostFrequent(ends);
  return newLines
    .map((line, at) => {
      if (at === newLines.length - 1) return line;
      if (grown === 0 || at < Math.min(head, ends.length)) return line + (ends[at] ?? usual);
      return line + (at >= newLines.length - tail ? (ends[at - grown] ?? usual) : usual);
    })
    .join("");
}

function mostFrequent(ends: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ["\n", 0])[0];
}
