import { toLineFeeds } from "./line-ends.js";
import { normalizeLineEnds } from "./normal-text.js";
import type { SearchSpace } from "./search-space.js";
import { createLineTable, type LineTable } from "./line-table.js";

/** What had to be overlooked to find the old text. */
export type MatchedHow = "exact" | "line-ends" | "indentation";

/** From one index of a search space to another. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the old text stands, and the new text as it is meant there (packed). */
export interface Match {
  readonly how: MatchedHow;
  readonly spans: readonly Span[];
  readonly newText: string;
}

export interface WantedEdit {
  /** Packed, not empty. */
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** Find the old text: as it is; else but for line ends; else but for one shift of its indentation. */
export function findMatch(space: SearchSpace, wanted: WantedEdit): Match | undefined {
  return (
    findExact(space, wanted) ??
    findByLineEnds(space, wanted) ??
    findAtOpenEnd(space, wanted) ??
    matchIndentation(space, wanted)
  );
}

function findExact(space: SearchSpace, { oldText, newText, replaceAll }: WantedEdit): Match | undefined {
  // Who sees lines and not their ends means lines of either kind: all of them, or the only one.
  if (oldText.includes("\n") && !oldText.includes("\r") && hasReturns(space)) return undefined;
  const starts = replaceAll ? findDisjoint(space, oldText) : findOccurrences(space, oldText);
  if (starts.length === 0) return undefined;
  const spans: Span[] = [];
  for (const start of starts) {
    const span = { start, end: start + oldText.length };
    if (cutsLineEnd(space, oldText, span)) return undefined;
    spans.push(span);
  }
  return { how: "exact", spans, newText };
}

/** To begin or end between the two characters of a line end would leave half of it behind. */
function cutsLineEnd(space: SearchSpace, oldText: string, { start, end }: Span): boolean {
  const cutsBefore = oldText.startsWith("\n") && space.slice(start - 1, start) === "\r";
  return cutsBefore || (oldText.endsWith("\r") && space.slice(end, end + 1) === "\n");
}

function findByLineEnds(space: SearchSpace, { oldText, newText, replaceAll }: WantedEdit): Match | undefined {
  const needle = toLineFeeds(oldText);
  if (!needle.includes("\n") || (needle === oldText && !hasReturns(space))) return undefined;
  const normal = normalizeLineEnds(space.packed, true);
  const inText = searchString(normal.text);
  const starts = replaceAll ? findDisjoint(inText, needle) : findOccurrences(inText, needle);
  if (starts.length === 0) return undefined;
  const spans = starts.map((start) => spanOf(normal.original, start, needle.length));
  const same = spans.every(({ start, end }) => space.slice(start, end) === oldText);
  return { how: same ? "exact" : "line-ends", spans, newText };
}

/** A last line without a line end matches one with it, and stays without. */
function findAtOpenEnd(space: SearchSpace, { oldText, newText }: WantedEdit): Match | undefined {
  const lines = toLineFeeds(oldText);
  const needle = lines.slice(0, -1);
  if (!lines.endsWith("\n") || needle === "" || needle.endsWith("\n")) return undefined;
  // No more of the file than can be the text with the longest line ends.
  const from = Math.max(0, space.length - lines.length * 2);
  const normal = normalizeLineEnds(space.slice(from, space.length), true);
  if (!normal.text.endsWith(needle)) return undefined;
  const start = from + normal.original(normal.text.length - needle.length);
  const spans = [{ start, end: space.length }];
  return { how: "line-ends", spans, newText: newText.replace(/\r?\n$/, "") };
}

function spanOf(original: (index: number) => number, start: number, length: number): Span {
  const from = original(start);
  return { start: from, end: original(start + length) };
}

function hasReturns(space: SearchSpace): boolean {
  return space.finder("\r")(0) !== -1;
}

/** Lines and places looked at before giving up; a text with more is too repetitive for a safe guess. */
const maxWork = 1_000_000;

/** The blanks that stand before every line of the file and not of the old text, or the other way round. */
interface Shift {
  readonly added: string;
  readonly removed: string;
}

interface Block {
  /** Without line ends. */
  readonly lines: readonly string[];
  readonly endsLine: boolean;
  /** The longest line, by which places are looked up, and its text without indentation. */
  readonly anchor: number;
  readonly anchorText: string;
}

/** Find whole lines that differ from the old text by one and the same indentation; only a single place counts. */
function matchIndentation(space: SearchSpace, { oldText, newText }: WantedEdit): Match | undefined {
  const block = toBlock(oldText);
  if (block === undefined || block.anchorText.length > space.length) return undefined;
  const text = space.packed;
  const table = createLineTable(text);
  let work = 0;
  let found: { span: Span; shift: Shift } | undefined;
  for (let at = text.indexOf(block.anchorText); at !== -1; at = text.indexOf(block.anchorText, at + 1)) {
    const tried = tryPlace(text, table, { block, at });
    work += 1 + tried.work;
    if (work > maxWork || (tried.match !== undefined && found !== undefined)) return undefined;
    found ??= tried.match;
  }
  const shifted = found && shiftLines(newText, found.shift);
  if (found === undefined || shifted === undefined) return undefined;
  return { how: "indentation", spans: [found.span], newText: shifted };
}

function toBlock(oldText: string): Block | undefined {
  const lines = toLineFeeds(oldText).split("\n");
  const endsLine = lines.at(-1) === "";
  if (endsLine) lines.pop();
  let [anchor, longest] = [0, ""];
  for (const [index, line] of lines.entries()) {
    if (line.length > longest.length) [anchor, longest] = [index, line];
  }
  const anchorText = longest.replace(/^[ \t]+/, "");
  return anchorText === "" ? undefined : { lines, endsLine, anchor, anchorText };
}

interface Place {
  readonly block: Block;
  readonly at: number;
}

function tryPlace(
  text: string,
  table: LineTable,
  { block, at }: Place,
): { work: number; match?: { span: Span; shift: Shift } } {
  const anchorLine = table.lineAt(at);
  const first = anchorLine - block.anchor;
  const last = first + block.lines.length - 1;
  if (first < 0) return { work: 0 };
  if (table.contentEnd(anchorLine) !== at + block.anchorText.length) return { work: 0 };
  const shift = shiftBetween(block, text.slice(table.start(anchorLine), at));
  if (shift === undefined) return { work: 0 };
  for (const [index, line] of block.lines.entries()) {
    const actual = text.slice(table.start(first + index), table.contentEnd(first + index));
    if (shiftLine(line, shift) !== actual) return { work: index + 1 };
  }
  const work = block.lines.length;
  if (block.endsLine && table.contentEnd(last) === table.start(last + 1)) return { work };
  const end = block.endsLine ? table.start(last + 1) : table.contentEnd(last);
  return { work, match: { span: { start: table.start(first), end }, shift } };
}

function shiftBetween({ lines, anchor, anchorText }: Block, actual: string): Shift | undefined {
  if (!/^[ \t]*$/.test(actual)) return undefined;
  const line = lines[anchor] ?? "";
  const own = line.slice(0, line.length - anchorText.length);
  if (actual === own) return undefined;
  if (actual.endsWith(own)) return { added: actual.slice(0, actual.length - own.length), removed: "" };
  if (own.endsWith(actual)) return { added: "", removed: own.slice(0, own.length - actual.length) };
  return undefined;
}

function shiftLine(line: string, { added, removed }: Shift): string | undefined {
  if (line === "") return line;
  return line.startsWith(removed) ? added + line.slice(removed.length) : undefined;
}

/** `undefined` where a line has not the indentation that would have to go. */
function shiftLines(text: string, shift: Shift): string | undefined {
  const lines = text.split("\n").map((line) => (line === "\r" ? line : shiftLine(line, shift)));
  return lines.includes(undefined) ? undefined : lines.join("\n");
}

/** More places than this are not looked for where only one is wanted. */
const maxCounted = 100_000;

/** Every place where a packed string begins, overlapping ones too, up to a number. */
export function findOccurrences(space: Pick<SearchSpace, "finder" | "slice">, needle: string): number[] {
  const find = space.finder(needle);
  const found: number[] = [];
  let period = 0;
  for (let at = find(0); at !== -1 && found.length < maxCounted;) {
    const last = found.at(-1);
    found.push(at);
    // Where occurrences overlap, the next is one period on or nearly a whole needle away. Along a run only
    // one period more needs to be compared, or equal lines would take the square of their number.
    if (last !== undefined && at - last < needle.length) period ||= smallestPeriod(needle);
    at = period > 0 && continues(space, needle, [at, period]) ? at + period : find(at + 1);
  }
  return found;
}

/** Every place, none overlapping another, from the left as `String.replaceAll` takes them. */
function findDisjoint(space: Pick<SearchSpace, "finder">, needle: string): number[] {
  const find = space.finder(needle);
  const found: number[] = [];
  for (let at = find(0); at !== -1; at = find(at + needle.length)) found.push(at);
  return found;
}

function continues(
  space: Pick<SearchSpace, "slice">,
  needle: string,
  [at, period]: readonly [number, number],
): boolean {
  const end = at + needle.length;
  return space.slice(end, end + period) === needle.slice(needle.length - period);
}

/** By the failure function of Knuth, Morris and Pratt. */
function smallestPeriod(needle: string): number {
  const border = new Int32Array(needle.length);
  let length = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (length > 0 && needle.charCodeAt(at) !== needle.charCodeAt(length)) length = border[length] ?? 0;
    if (needle.charCodeAt(at) === needle.charCodeAt(length)) length += 1;
    border[at + 1] = length;
  }
  return needle.length - length;
}

/** The same questions asked of a plain string. */
export function searchString(text: string): Pick<SearchSpace, "finder" | "slice"> {
  return {
    finder: (packed) => (from) => (from > text.length ? -1 : text.indexOf(packed, from)),
    slice: (start, end) => text.slice(start, end),
  };
}
