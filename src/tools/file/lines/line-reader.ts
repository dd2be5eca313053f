import type { Clock } from "../../../contract/ports/clock.js";
import type { OpenFile } from "../../../contract/ports/files.js";
import { decodeText } from "../../../text/decode-text.js";
import { endOfNth } from "./line-ends-in.js";
import { fillBuffer, indexLines, type LineIndex, lineOffset } from "./line-index.js";
import { type FoundLines, fromStart, type LinePage, type PageRequest, splitAt, toPage } from "./line-page.js";
import { createNewlineCounter, type LineUnit, type NewlineCounter } from "../../../text/newline-counter.js";

/** Reads ranges of lines from files of any size, with little memory. */
export interface LineReader {
  /** Whether the lines of this version of the file are known, in the encoding that was detected. */
  knows(file: OpenFile): boolean;
  read(file: OpenFile, request: LineRequest, during: ReadDuring): Promise<LinePage & { encoding: string }>;
  /** A part of one line. */
  readChars(file: OpenFile, request: CharRequest, during: ReadDuring): Promise<LineChars>;
}

/** Which characters of a line to read; they count from 1. */
export interface CharRequest extends Pick<LineRequest, "encoding" | "head" | "maxChars"> {
  /** Counts from 1, or from the end if it is negative. */
  readonly line: number;
  readonly startChar: number;
  readonly endChar: number | undefined;
}

/** A part of a line. */
export interface LineChars {
  /** Empty if the line, or the part of it, does not exist. */
  readonly text: string;
  readonly line: number;
  readonly startChar: number;
  /** Characters of the whole line; `undefined` if the line was not reached. */
  readonly lineChars: number | undefined;
  readonly totalLines: number | undefined;
  readonly encoding: string;
}

export interface LineRequest extends PageRequest {
  /** The name of an encoding, or "auto". */
  readonly encoding: string;
  /** The start of the file, or all of a small one; `undefined` for one whose lines are known. */
  readonly head: Uint8Array | undefined;
}

export interface ReadDuring {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Smaller files are read in one go. */
export const HEAD = 64 * 1024;

const maxIndexes = 32;
/** An index is reused only if the file had not changed for this long when it was built, because file times are coarse. */
const unchangedMs = 2000;

/** Create a reader that keeps line indexes of large files while the files do not change. */
export function createLineReader(): LineReader {
  const known = new Map<string, KnownIndex>();
  let createdCounter: NewlineCounter | undefined;
  const counter = (): NewlineCounter => (createdCounter ??= createNewlineCounter());
  const readPage: LineReader["read"] = async (file, request, during) => {
    const { head } = request;
    if (head !== undefined && head.length < HEAD) return readSmallFile(head, request);
    const encoding =
      head === undefined
        ? requireKnown(known, file).encoding
        : decodeText(wholeCharacters(head), request.encoding).encoding;
    const isDetected = request.encoding === "auto";
    const unit = unitOf(encoding);
    // The context has getters on its class, which a spread would lose.
    const { clock, signal } = during;
    const parts = { known, counter: counter(), unit, isDetected, clock, signal };
    const found = await findLines(file, { ...request, encoding }, parts);
    return { ...toPage(found.request, found), encoding };
  };
  return {
    knows(file) {
      const before = known.get(file.path);
      return before?.identity === file.stat.identity && before.isDetected;
    },
    read: readPage,
    async readChars(file, { line, startChar, endChar, maxChars, ...request }, during) {
      const one = {
        ...request,
        start: line,
        end: line,
        maxLines: 1,
        maxChars: maxReachedChars,
        numbering: 0,
      };
      const { encoding, totalLines, lines, startLine, partial } = await readPage(file, one, during);
      const [text] = lines;
      const found = { line: startLine, totalLines, encoding };
      if (text === undefined || partial) return { ...found, text: "", startChar, lineChars: undefined };
      const part = sliceChars(text, { startChar, endChar, maxChars });
      return { ...found, ...part, lineChars: text.length };
    },
  };
}

/** Longer lines are out of reach: they would have to be read as a whole. */
const maxReachedChars = 64 * 1024 * 1024;

/** As many of the requested characters as fit; a pair of surrogates stays together. */
function sliceChars(
  text: string,
  { startChar, endChar = text.length, maxChars }: Pick<CharRequest, "startChar" | "endChar" | "maxChars">,
): { text: string; startChar: number } {
  const isInPair = (at: number): boolean =>
    /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "");
  const start = startChar - 1 - (isInPair(startChar - 1) ? 1 : 0);
  const last = Math.min(endChar, text.length);
  const end = Math.min(last + (isInPair(last) ? 1 : 0), start + maxChars);
  return { text: text.slice(start, isInPair(end) ? end - 1 : end), startChar: start + 1 };
}

function readSmallFile(head: Uint8Array, request: LineRequest): LinePage & { encoding: string } {
  const { text, encoding } = decodeText(head, request.encoding);
  const lines = splitAt(text, text.includes("\n") ? "\n" : "\r");
  const range = fromStart(request, lines.length);
  const isWhole = range.start === 1;
  const found: FoundLines = {
    lines: isWhole ? lines : lines.slice(range.start - 1),
    totalLines: lines.length,
    partial: false,
    text: isWhole ? text : undefined,
  };
  return { ...toPage(range, found), encoding };
}

interface KnownIndex {
  readonly identity: string;
  readonly encoding: string;
  /** Whether the encoding was found in the file, not asked for. */
  readonly isDetected: boolean;
  readonly index: LineIndex;
}

function requireKnown(known: ReadonlyMap<string, KnownIndex>, file: OpenFile): KnownIndex {
  const index = known.get(file.path);
  if (index === undefined) throw new Error(`The lines of ${file.path} are not known.`);
  return index;
}

interface LineReaderDeps extends ReadDuring {
  readonly known: Map<string, KnownIndex>;
  readonly counter: NewlineCounter;
  readonly unit: LineUnit;
  readonly isDetected: boolean;
}

/** Lines that were found, and the request for them, counted from the start. */
type FoundRange = FoundLines & { readonly request: LineRequest };

async function findLines(file: OpenFile, request: LineRequest, parts: LineReaderDeps): Promise<FoundRange> {
  const before = parts.known.get(file.path);
  const { identity } = file.stat;
  const isSame = before?.identity === identity && before.encoding === request.encoding;
  const known = isSame ? before.index : undefined;
  if (known !== undefined && (known.total !== undefined || isWithin(request, known))) {
    const found = takeLines(file, request, { index: known, counter: parts.counter });
    if (found !== undefined) return found;
  }
  const startedAt = parts.clock.now();
  const unfinished = known?.total === undefined ? known : undefined;
  const index = await indexLines(file, { ...parts, before: unfinished });
  parts.known.delete(file.path);
  if (startedAt - Math.max(file.stat.changed, file.stat.modified) > unchangedMs) {
    parts.known.set(file.path, { identity, encoding: request.encoding, isDetected: parts.isDetected, index });
    if (parts.known.size > maxIndexes) parts.known.delete(parts.known.keys().next().value!);
  }
  const found = takeLines(file, request, { index, counter: parts.counter });
  // It changes while it is read; the caller notices that by its identity.
  return found ?? { request, lines: [], totalLines: index.total, partial: false };
}

/** Whether an index that is not complete reaches the first requested line. */
function isWithin({ start }: LineRequest, { ends }: LineIndex): boolean {
  return start > 0 && start <= ends;
}

/** The maximum size of a character, so that a page always gets enough bytes. */
const maxCharBytes = 4;
const PIECE_BYTES = 64 * 1024;

/** `undefined` if the file does not match the index. */
function takeLines(
  file: OpenFile,
  wanted: LineRequest,
  place: { index: LineIndex; counter: NewlineCounter },
): FoundRange | undefined {
  const { index, counter } = place;
  const totalLines = index.total;
  const request = totalLines === undefined ? wanted : fromStart(wanted, totalLines);
  const { start, end, maxLines, maxChars, encoding } = request;
  const nothing = { request, lines: [], totalLines, partial: false };
  if (start < 0 || start > (totalLines ?? index.ends + 1) || (end ?? start) < start) return nothing;
  const offset = lineOffset(file, start, place);
  if (offset === undefined) return undefined;
  const count = Math.min(maxLines, end === undefined ? maxLines : end - start + 1);
  const maxBytes = maxChars * maxCharBytes + PIECE_BYTES;
  const { bytes, partial } = readEnds(file, { offset, wanted: count, maxBytes, unit: index.unit, counter });
  const { text } = decodeText(bytes, encoding);
  return { request, lines: splitAt(text, index.unit.mark, count), totalLines, partial };
}

interface ReadSpan {
  readonly offset: number;
  readonly wanted: number;
  readonly maxBytes: number;
  readonly unit: LineUnit;
  readonly counter: NewlineCounter;
}

/** Read until enough line ends were found, the limit is reached, or the file ends. */
function readEnds(
  file: OpenFile,
  { offset, wanted, maxBytes, unit, counter }: ReadSpan,
): { bytes: Buffer; partial: boolean } {
  const pieces: Buffer[] = [];
  let length = 0;
  let ends = 0;
  while (length < maxBytes) {
    const view = counter.window.subarray(0, PIECE_BYTES);
    const got = fillBuffer(file, view, offset + length);
    const { end, found } = endOfNth(view, { length: got, unit, count: wanted - ends });
    pieces.push(Buffer.from(view.subarray(0, end)));
    length += end;
    ends += found;
    if (ends === wanted || got < view.length) return { bytes: Buffer.concat(pieces), partial: false };
  }
  return { bytes: Buffer.concat(pieces), partial: true };
}

/** How lines end in an encoding; in all but UTF-16 and UTF-32, by a byte that has no other meaning. */
function unitOf(encoding: string): LineUnit {
  const wide = /^utf(16|32)(le|be)$/.exec(encoding);
  const width = wide?.[1] === "16" ? 2 : 4;
  return { width: wide === null ? 1 : width, bigEndian: wide?.[2] === "be", mark: "\n" };
}

/** Cut a sample at the end of a character, so that an incomplete one does not distort the detected encoding. */
function wholeCharacters(head: Uint8Array): Uint8Array {
  if (head.includes(0)) return head.subarray(0, head.length - (head.length % 4));
  const feed = head.lastIndexOf(10);
  if (feed > 0) return head.subarray(0, feed + 1);
  let start = head.length - 1;
  while (start > head.length - 4 && ((head[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return (head[start] ?? 0) >= 0xc0 ? head.subarray(0, start) : head;
}
