import type { ToolContext } from "../../contract/context.js";
import { ToolError } from "../../contract/errors.js";
import type { OpenFile } from "../../contract/ports/files.js";
import { detectLanguage } from "../../text/detect-language.js";
import { looksBinary } from "../../text/is-binary.js";
import { describeBinary, readBase64 } from "./binary/read-binary.js";
import { fillBuffer } from "./lines/line-index.js";
import type { LinePage } from "./lines/line-page.js";
import { HEAD, type LineReader } from "./lines/line-reader.js";
import { listDirectory } from "./list-directory.js";
import { noteSeen, openedAs } from "./note-seen.js";
import { readLimits } from "./read-limits.js";
import {
  charBeyondEnd,
  checkRange,
  checkWholeSize,
  hasChars,
  lineTooLong,
  noRange,
  requireReached,
  type ReadRequest,
} from "./read-range.js";
import { noLines, type ReadResult } from "./read-result.js";

/** Read a file or list a directory; the session remembers which lines were shown. */
export async function readContent(
  request: ReadRequest,
  ctx: ToolContext,
  lines: LineReader,
): Promise<ReadResult> {
  checkRange(request);
  return withOpenFile(request.path, ctx, {
    directory: () => readDirectory(request.path, ctx),
    file: (file, start) => readOpen(file, start, { request, ctx, lines }),
  });
}

/** What to do with a directory or a file. */
export interface PathHandlers<Value> {
  readonly directory: () => Promise<Value>;
  /** `start` reads the start of the file, or all of it if it is shorter than `HEAD`. */
  readonly file: (file: OpenFile, start: () => Uint8Array) => Promise<{ value: Value; keep?: () => void }>;
}

const attempts = 3;

/**
 * Open a file and read it, again if it changed in the meantime. Only lines of a file that did not change while it
 * was read count as seen.
 */
export async function withOpenFile<Value extends { note?: string | undefined }>(
  path: string,
  ctx: ToolContext,
  { directory, file: use }: PathHandlers<Value>,
): Promise<Value> {
  for (let left = attempts; ; left -= 1) {
    const file = await openFile(path, ctx);
    if (file === undefined) return directory();
    try {
      const { value, keep } = await use(file, () => readStart(file));
      if (file.look().identity === file.stat.identity) {
        keep?.();
        return value;
      }
      if (left > 1) continue;
      return { ...value, note: "The file changed while it was read; read it again before editing." };
    } finally {
      file.close();
    }
  }
}

/** `undefined` for a directory. */
async function openFile(path: string, ctx: ToolContext): Promise<OpenFile | undefined> {
  try {
    return await ctx.files.open(path);
  } catch (error) {
    if (error instanceof ToolError && error.details?.["errno"] === "EISDIR") return undefined;
    throw error;
  }
}

function readStart(file: OpenFile): Uint8Array {
  const head = Buffer.allocUnsafe(Math.min(HEAD, file.stat.size + 1));
  const got = fillStart(file, head);
  return got < head.length || got === HEAD ? head.subarray(0, got) : readHead(file);
}

/** Fill the buffer with the start of a file; all of a file at once needs no second read, as its size is looked at again. */
function fillStart(file: OpenFile, head: Uint8Array): number {
  const got = file.readInto(head, 0);
  return got === file.stat.size || got === 0 ? got : got + fillBuffer(file, head.subarray(got), got);
}

/** The size that the system reported was too small. */
function readHead(file: OpenFile): Uint8Array {
  const head = Buffer.allocUnsafe(HEAD);
  return head.subarray(0, fillBuffer(file, head, 0));
}

interface ReadDeps {
  readonly request: ReadRequest;
  readonly ctx: ToolContext;
  readonly lines: LineReader;
}

async function readOpen(
  file: OpenFile,
  start: () => Uint8Array,
  reading: ReadDeps,
): Promise<{ value: ReadResult; keep?: () => void }> {
  const { request, ctx } = reading;
  const { path, encoding } = request;
  const ranged = request.start_line !== undefined || request.end_line !== undefined || hasChars(request);
  const base64 = encoding.toLowerCase() === "base64";
  if (base64 && ranged) throw noRange(path, "read as Base64");
  if (base64) {
    checkWholeSize(file, reading);
    return readBase64(file, start(), { path, ctx });
  }
  // A file whose lines are known was seen to be text.
  const head = encoding === "auto" && reading.lines.knows(file) ? undefined : start();
  if (head !== undefined && encoding === "auto" && looksBinary(head)) {
    if (ranged) throw noRange(path, "not a text file");
    return { value: await describeBinary(file, head, { path, ctx }) };
  }
  if (!ranged) checkWholeSize(file, reading);
  return hasChars(request) ? readPart(file, head, reading) : readText(file, head, reading);
}

async function readText(
  file: OpenFile,
  head: Uint8Array | undefined,
  { request, ctx, lines }: ReadDeps,
): Promise<{ value: ReadResult; keep: () => void }> {
  const { path, encoding, start_line: start = 1, end_line: end } = request;
  const page = await lines.read(file, { start, end, encoding, head, ...readLimits(ctx) }, ctx);
  const total = page.totalLines;
  const named = encoding === "auto" ? undefined : page.encoding;
  requireReached(path, { ...page, start, end });
  const language = detectLanguage(path, page.startLine === 1 ? page.content.slice(0, 4000) : "");
  const cutLine = page.partial ? { note: noteOnLongLine(page) } : {};
  return {
    value: {
      path,
      content: page.content,
      size: file.stat.size,
      encoding: page.encoding,
      language,
      totalLines: total ?? null,
      startLine: page.startLine,
      endLine: page.endLine,
      isDirectory: false,
      recommendRange: rangeAfter(page, end !== undefined && end < 0 ? (total ?? 0) + 1 + end : end),
      truncated: page.cut,
      ...cutLine,
    },
    keep: () => noteSeen(ctx, { ...openedAs(file), ...page, named }),
  };
}

/** Read characters of one line. */
async function readPart(
  file: OpenFile,
  head: Uint8Array | undefined,
  { request, ctx, lines }: ReadDeps,
): Promise<{ value: ReadResult; keep: () => void }> {
  const { path, encoding, start_line: line = 1, start_char: startChar = 1, end_char: endChar } = request;
  const { maxChars } = readLimits(ctx);
  const found = await lines.readChars(file, { line, startChar, endChar, encoding, head, maxChars }, ctx);
  const { text, totalLines, lineChars } = found;
  const isThere = lineChars !== undefined;
  requireReached(path, { ...found, startLine: found.line, start: line, lines: isThere ? [text] : [] });
  if (!isThere) throw lineTooLong(path, found.line);
  if (startChar > Math.max(lineChars, 1)) throw charBeyondEnd(startChar, { line: found.line, lineChars });
  const last = found.startChar - 1 + text.length;
  const wanted = Math.min(endChar ?? lineChars, lineChars);
  const next = last < lineChars ? ` Continue with start_char ${last + 1}.` : "";
  return {
    value: {
      path,
      content: text,
      size: file.stat.size,
      encoding: found.encoding,
      language: detectLanguage(path, ""),
      totalLines: totalLines ?? null,
      startLine: found.line,
      endLine: found.line,
      isDirectory: false,
      recommendRange: null,
      truncated: last < wanted,
      startChar: found.startChar,
      endChar: last,
      lineChars,
      note: `Characters ${found.startChar}-${last} of ${lineChars} of line ${found.line}.${next}`,
    },
    keep: () =>
      noteSeen(ctx, {
        ...openedAs(file),
        startLine: found.line,
        lines: [],
        totalLines,
        partial: false,
        named: encoding === "auto" ? undefined : found.encoding,
        part: { line: found.line, char: found.startChar, text, isEnd: last === lineChars },
      }),
  };
}

function noteOnLongLine({ endLine, lines }: LinePage): string {
  const next = (lines.at(-1)?.length ?? 0) + 1;
  return `Line ${endLine} is too long and was truncated. Read the rest with start_line ${endLine} and start_char ${next}.`;
}

function rangeAfter(page: LinePage, end: number | undefined): { startLine: number; endLine: number } | null {
  if (!page.cut) return null;
  const last = Math.min(end ?? Number.POSITIVE_INFINITY, page.totalLines ?? Number.POSITIVE_INFINITY);
  const startLine = page.endLine + 1;
  if (startLine > last) return null;
  return { startLine, endLine: Math.min(last, page.endLine + Math.max(page.lines.length, 1)) };
}

async function readDirectory(path: string, ctx: ToolContext): Promise<ReadResult> {
  const { content, truncated, note } = await listDirectory(path, ctx);
  return { ...noLines, path, content, size: 0, isDirectory: true, truncated, ...(note && { note }) };
}
