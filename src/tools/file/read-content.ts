import type { ToolContext } from "../../contract/context.js";
import { ToolError, ToolValidationError } from "../../contract/errors.js";
import type { OpenFile } from "../../contract/ports/files.js";
import { detectLanguage } from "../../text/detect-language.js";
import { looksBinary } from "../../text/is-binary.js";
import { describeBinary, readBase64 } from "./binary/read-binary.js";
import { fillBuffer } from "./lines/line-index.js";
import type { LinePage } from "./lines/line-page.js";
import { HEAD, type LineReader } from "./lines/line-reader.js";
import { listDirectory } from "./list-directory.js";
import { noteSeen } from "./note-seen.js";
import { readLimits } from "./read-limits.js";
import { noLines, type ReadResult } from "./read-result.js";

export interface ReadRequest {
  readonly path: string;
  readonly encoding: string;
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
}

/** Read a file or list a directory; the session remembers which lines were shown. */
export async function readContent(
  request: ReadRequest,
  ctx: ToolContext,
  lines: LineReader,
): Promise<ReadResult> {
  const { start_line: start, end_line: end } = request;
  if (start !== undefined && end !== undefined && start > end) throw rangeReversed(start, end);
  return withOpenFile(request.path, ctx, {
    directory: () => readDirectory(request.path, ctx),
    file: (file, head) => readOpen(file, head, { request, ctx, lines }),
  });
}

/** What to do with a directory or a file. */
export interface PathHandlers<Value> {
  readonly directory: () => Promise<Value>;
  /** `head` is the start of the file, or all of it if it is shorter than `HEAD`. */
  readonly file: (file: OpenFile, head: Uint8Array) => Promise<{ value: Value; keep?: () => void }>;
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
      const head = Buffer.allocUnsafe(Math.min(HEAD, file.stat.size + 1));
      const got = fillBuffer(file, head, 0);
      const whole = got < head.length || got === HEAD ? head.subarray(0, got) : readHead(file);
      const { value, keep } = await use(file, whole);
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
  head: Uint8Array,
  reading: ReadDeps,
): Promise<{ value: ReadResult; keep?: () => void }> {
  const { request, ctx } = reading;
  const { path, encoding } = request;
  const ranged = request.start_line !== undefined || request.end_line !== undefined;
  const base64 = encoding.toLowerCase() === "base64";
  if (base64 && ranged) throw noRange(path, "read as Base64");
  if (base64) return readBase64(file, head, { path, ctx });
  if (encoding === "auto" && looksBinary(head)) {
    if (ranged) throw noRange(path, "not a text file");
    return { value: await describeBinary(file, head, { path, ctx }) };
  }
  return readText(file, head, reading);
}

async function readText(
  file: OpenFile,
  head: Uint8Array,
  { request, ctx, lines }: ReadDeps,
): Promise<{ value: ReadResult; keep: () => void }> {
  const { path, encoding, start_line: start = 1, end_line: end } = request;
  const page = await lines.read(file, { start, end, encoding, head, ...readLimits(ctx) }, ctx);
  const total = page.totalLines;
  const named = encoding === "auto" ? undefined : page.encoding;
  if (total !== undefined && start > Math.max(total, 1)) throw startBeyondEnd(path, start, total);
  if (total === undefined && page.lines.length === 0) throw lineNotReached(path, start);
  const language = detectLanguage(path, start === 1 ? page.content.slice(0, 4000) : "");
  const cutLine = page.partial ? { note: `Line ${page.endLine} is too long and was truncated.` } : {};
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
      recommendRange: rangeAfter(page, end),
      truncated: page.cut,
      ...cutLine,
    },
    keep: () => noteSeen(ctx, { path: file.path, identity: file.stat.identity, ...page, named }),
  };
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

function rangeReversed(start: number, end: number): ToolValidationError {
  return new ToolValidationError(`start_line (${start}) is after end_line (${end}).`, {
    hint: "Both lines count from 1 and are included in the range.",
  });
}

function startBeyondEnd(path: string, start: number, total: number): ToolValidationError {
  const lines = total === 1 ? "1 line" : `${total} lines`;
  return new ToolValidationError(`start_line (${start}) is beyond the end of ${path}, which has ${lines}.`, {
    code: "VALUE_INVALID",
    hint: `Use a start_line from 1 to ${total}.`,
    details: { totalLines: total },
  });
}

function lineNotReached(path: string, start: number): ToolValidationError {
  return new ToolValidationError(
    `Line ${start} of ${path} could not be reached in time because the file is too large.`,
    {
      code: "FILE_TOO_LARGE",
      hint: "Read lines closer to the start of the file.",
    },
  );
}

function noRange(path: string, what: string): ToolValidationError {
  return new ToolValidationError(`A line range is not possible: ${path} is ${what}.`, {
    code: "VALUE_INVALID",
    hint: "Omit start_line and end_line.",
  });
}
