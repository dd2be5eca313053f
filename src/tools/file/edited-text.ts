import { applySplices } from "../../text/make-splice.js";
import { decodeText } from "../../text/decode-text.js";
import { dropLines, hasLine, spliceRuns, type LineChange, type LineRun } from "../../text/line-runs.js";
import type { Splice } from "../../text/splice.js";
import { splitAt } from "./lines/line-page.js";
import { partsAfter, type KnownLines } from "./known-lines.js";
import { createPresentLines, type PresentLines } from "./present-lines.js";

/** A text and the splices that change it. */
export interface EditedText {
  readonly before: Uint8Array;
  readonly lines: PresentLines;
  readonly splices: readonly Splice[];
  /** The lines that were replaced, ascending. */
  readonly changes: readonly ChangedLines[];
}

/** Replaced lines, and whether the new lines still contain a part of the first or last old one. */
export interface ChangedLines extends LineChange {
  readonly keepsFirst: boolean;
  readonly keepsLast: boolean;
}

/** Find out which lines are changed by splices. */
export function editText(before: Uint8Array, lines: PresentLines, splices: readonly Splice[]): EditedText {
  const changes: ChangedLines[] = [];
  const hasFeeds = before.includes(feed) || splices.some(({ data }) => data.includes(feed));
  const deps: RegionDeps = { bytes: toBuffer(before), lines, mark: hasFeeds ? "\n" : "\r" };
  for (let at = 0; at < splices.length;) {
    const region = growRegion(deps, splices, at);
    changes.push(toChange(deps, region));
    at += region.own.length;
  }
  return { before, lines, splices, changes };
}

/** The bytes of the new text. */
export function bytesAfter({ before, splices }: EditedText): Uint8Array {
  return applySplices(before, splices);
}

/** A part of the text before and after the edit, from the start of line `firstLine` to the start of line `endLine`. */
export function textsBetween(
  { before, lines, splices }: EditedText,
  [firstLine, endLine]: readonly [number, number],
): { before: string; after: string } {
  const [from, to] = [lines.byteStart(firstLine), lines.byteStart(endLine)];
  const first = firstSpliceFrom(splices, from);
  let next = first;
  while ((splices[next]?.end ?? Number.POSITIVE_INFINITY) <= to) next += 1;
  const within = splices.slice(first, next);
  const { encoding } = lines;
  const bytes = toBuffer(before);
  return {
    before: decodeRegion(bytes, { from, to, splices: [], encoding }),
    after: decodeRegion(bytes, { from, to, splices: within, encoding }),
  };
}

/** The index of the first splice that starts at or after a byte; splices ascend. */
function firstSpliceFrom(splices: readonly Splice[], byte: number): number {
  let low = 0;
  let high = splices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((splices[middle]?.start ?? 0) < byte) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a session knows after an edit, from what it knew before. */
export function knownAfter({ runs, parts }: KnownLines, edited: EditedText): KnownLines {
  if (changesLineEnds(edited)) {
    return { runs: coversAll(runs, edited.lines) ? allLinesAfter(edited) : [], parts: [] };
  }
  const after = runsAfter(runs, edited);
  if (parts.length === 0) return { runs: after, parts };
  return { runs: after, parts: partsAfter(parts, edited).filter(({ line }) => !hasLine(after, line)) };
}

function runsAfter(runs: readonly LineRun[], { changes }: EditedText): readonly LineRun[] {
  const spliced = spliceRuns(runs, changes);
  const unseen: number[] = [];
  let shift = 0;
  for (const { startLine, endLine, newLines, keepsFirst, keepsLast } of changes) {
    const first = startLine + shift;
    const last = first + newLines.length - 1;
    if (keepsFirst && !hasLine(runs, startLine)) unseen.push(first);
    if (keepsLast && !hasLine(runs, endLine)) unseen.push(last);
    shift += newLines.length - (endLine - startLine + 1);
  }
  return unseen.length === 0 ? spliced : dropLines(spliced, unseen);
}

const feed = 0x0a;

/** If the first line feed is added, or the last one removed, all lines of the text change. */
function changesLineEnds({ before, splices }: EditedText): boolean {
  if (before.length === 0) return false;
  if (!before.includes(feed)) return splices.some(({ data }) => data.includes(feed));
  const takesOut = splices.some(({ start, end }) => before.subarray(start, end).includes(feed));
  return takesOut && !applySplices(before, splices).includes(feed);
}

function coversAll(runs: readonly LineRun[], lines: PresentLines): boolean {
  return runs.length === 1 && runs[0]?.start === 1 && runs[0].lines.length === lines.count;
}

function allLinesAfter(edited: EditedText): LineRun[] {
  const lines = createPresentLines(bytesAfter(edited), edited.lines.encoding);
  return lines.count === 0 ? [] : [{ start: 1, lines: lines.slice(1, lines.count) }];
}

interface RegionDeps {
  readonly bytes: Buffer;
  readonly lines: PresentLines;
  readonly mark: "\n" | "\r";
}

/** A range of complete lines, and the splices within it. */
interface LineRegion {
  readonly from: number;
  readonly to: number;
  readonly own: readonly Splice[];
}

/** The lines changed by a splice and by the following ones that share lines with it. */
function growRegion(deps: RegionDeps, splices: readonly Splice[], at: number): LineRegion {
  const { lines, bytes } = deps;
  const { start, end } = splices[at] as Splice;
  const from = Math.min(lines.byteStart(lines.lineAt(start)), start);
  let next = at + 1;
  let to = lineEndAfter(lines, end);
  for (;;) {
    for (; next < splices.length; next += 1) {
      const splice = splices[next] as Splice;
      if (!isWithin(lines, splice.start, to)) break;
      to = Math.max(to, lineEndAfter(lines, splice.end));
    }
    // Without its line end, the last line is joined with the next one, which changes, too.
    if (to >= bytes.length || isEnded(deps, splices, { first: at, next, from, to })) break;
    to = lines.byteStart(lines.lineAt(to) + 1);
  }
  return { from, to, own: splices.slice(at, next) };
}

interface Extent {
  readonly first: number;
  readonly next: number;
  readonly from: number;
  readonly to: number;
}

/** Whether the new text of a region ends with a line end or is empty. */
function isEnded(
  { lines, mark }: RegionDeps,
  splices: readonly Splice[],
  { first, next, from, to }: Extent,
): boolean {
  let until = to;
  for (let at = next - 1; at >= first; at -= 1) {
    const { start, end, data } = splices[at] as Splice;
    if (until > end) return startsLine(lines, until);
    if (data.length > 0) return decodeText(data, lines.encoding).text.endsWith(mark);
    until = start;
  }
  return until <= from || startsLine(lines, until);
}

function toChange({ bytes, lines, mark }: RegionDeps, { from, to, own }: LineRegion): ChangedLines {
  const text = decodeRegion(bytes, { from, to, splices: own, encoding: lines.encoding });
  return {
    startLine: lines.lineAt(own[0]?.start ?? 0),
    endLine: lines.lineAt(to) - (startsLine(lines, to) ? 1 : 0),
    newLines: linesIn(text, mark),
    keepsFirst: (own[0]?.start ?? 0) > from,
    keepsLast: (own.at(-1)?.end ?? 0) < to,
  };
}

/** The lines of a text without their ends. */
function linesIn(text: string, mark: "\n" | "\r"): string[] {
  if (mark === "\n" && text.includes("\r")) return splitAt(text, mark).map((line) => line.text);
  const lines = text.split(mark);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A last line without a line end includes the end of the file. */
function isWithin(lines: PresentLines, byte: number, to: number): boolean {
  return byte < to || (byte === to && !startsLine(lines, to));
}

/** The end of the line that contains a byte; the byte itself if a line starts there. */
function lineEndAfter(lines: PresentLines, byte: number): number {
  return startsLine(lines, byte) ? byte : lines.byteStart(lines.lineAt(byte) + 1);
}

function startsLine(lines: PresentLines, byte: number): boolean {
  return lines.byteStart(lines.lineAt(byte)) === byte;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

interface Region {
  readonly from: number;
  readonly to: number;
  readonly splices: readonly Splice[];
  readonly encoding: string;
}

function decodeRegion(bytes: Buffer, region: Region): string {
  const { from, to, splices, encoding } = region;
  const plain = encoding === "utf8" ? plainUtf8(bytes, region) : undefined;
  if (plain !== undefined) return plain;
  const moved = splices.map(({ start, end, data }) => ({ start: start - from, end: end - from, data }));
  return decodeText(applySplices(bytes.subarray(from, to), moved), encoding).text;
}

/** The text of a region without copying its bytes; `undefined` if they are not whole characters, or begin with a BOM. */
function plainUtf8(bytes: Buffer, { from, to, splices }: Omit<Region, "encoding">): string | undefined {
  const parts: string[] = [];
  let at = from;
  for (const { start, end, data } of splices) {
    parts.push(bytes.toString("utf8", at, start), toBuffer(data).toString());
    at = end;
  }
  const rest = bytes.toString("utf8", at, to);
  const text = parts.length === 0 ? rest : parts.join("") + rest;
  return text.includes("\uFFFD") || text.startsWith("\uFEFF") ? undefined : text;
}
