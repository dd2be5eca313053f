import type { ToolContext } from "../../contract/context.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { OpenFile } from "../../contract/ports/files.js";
import { plural } from "../../text/plural.js";

export interface ReadRequest {
  readonly path: string;
  readonly encoding: string;
  readonly start_line?: number | undefined;
  readonly end_line?: number | undefined;
  readonly start_char?: number | undefined;
  readonly end_char?: number | undefined;
}

/** Whether a part of a line is requested. */
export function hasChars({ start_char: start, end_char: end }: ReadRequest): boolean {
  return start !== undefined || end !== undefined;
}

/** Ranges that cannot be meant, whatever the file contains. */
export function checkRange(request: ReadRequest): void {
  const { start_line: start, end_line: end, start_char: startChar, end_char: endChar } = request;
  const isSameSide = start !== undefined && end !== undefined && start < 0 === end < 0;
  if (isSameSide && start > end) throw rangeReversed(start, end);
  if (!hasChars(request)) return;
  if (startChar !== undefined && endChar !== undefined && startChar > endChar) {
    throw new ToolValidationError(`start_char (${startChar}) is after end_char (${endChar}).`, {
      code: "VALUE_INVALID",
      hint: "Both characters count from 1 and are included in the range.",
    });
  }
  if (end === undefined || end === (start ?? 1)) return;
  throw new ToolValidationError("start_char and end_char are about one line, but end_line is another one.", {
    code: "VALUE_INVALID",
    hint: "Leave out end_line, or leave out start_char and end_char to read whole lines.",
  });
}

/** A limit for whole files only: a range of lines is bounded by itself. */
export function checkWholeSize(
  { stat }: OpenFile,
  { request, ctx }: { readonly request: ReadRequest; readonly ctx: Pick<ToolContext, "files"> },
): void {
  const limit = ctx.files.maxFileSize ?? Number.POSITIVE_INFINITY;
  if (stat.size <= limit) return;
  throw new ToolValidationError(
    `${request.path} has ${stat.size} bytes, which is more than the limit of ${limit} bytes for reading a whole file.`,
    {
      code: "FILE_TOO_LARGE",
      hint: "Read a range of lines with start_line and end_line (start_line -100 for its end), search it with grep, or raise files.maxFileSize.",
      details: { maxFileSize: limit, size: stat.size },
    },
  );
}

interface ReachedLines {
  readonly lines: readonly string[];
  readonly startLine: number;
  readonly totalLines: number | undefined;
  /** As requested. */
  readonly start: number;
  readonly end?: number | undefined;
}

/** The requested lines exist and were reached in time. */
export function requireReached(
  path: string,
  { lines, startLine, totalLines: total, start, end }: ReachedLines,
): void {
  if (total === undefined) {
    if (lines.length === 0) throw lineNotReached(path, start);
    return;
  }
  if (startLine > Math.max(total, 1)) throw startBeyondEnd(path, startLine, total);
  if (end === undefined || start < 0 === end < 0) return;
  const last = end < 0 ? total + 1 + end : end;
  if (startLine > last) throw rangeReversed(startLine, last);
}

function rangeReversed(start: number, end: number): ToolValidationError {
  return new ToolValidationError(`start_line (${start}) is after end_line (${end}).`, {
    hint: "Both lines count from 1 and are included in the range.",
  });
}

function startBeyondEnd(path: string, start: number, total: number): ToolValidationError {
  const lines = plural(total, "line");
  return new ToolValidationError(`Line ${start} is beyond the end of ${path}, which has ${lines}.`, {
    code: "VALUE_INVALID",
    hint: total === 0 ? "The file is empty." : `Use a start_line from 1 to ${total}.`,
    details: { totalLines: total },
  });
}

function lineNotReached(path: string, start: number): ToolValidationError {
  return new ToolValidationError(
    start < 0
      ? `The lines of ${path} could not all be counted in time because the file is very large.`
      : `Line ${start} of ${path} could not be reached in time because the file is very large.`,
    {
      code: "FILE_TOO_LARGE",
      retryable: true,
      hint: "Call again: if the file does not change, counting continues where it stopped. Or find the lines with grep.",
    },
  );
}

export function lineTooLong(path: string, line: number): ToolValidationError {
  return new ToolValidationError(`Line ${line} of ${path} is too long to be read.`, {
    code: "FILE_TOO_LARGE",
    hint: "Split the line with a shell command first.",
  });
}

export function charBeyondEnd(
  char: number,
  { line, lineChars }: { line: number; lineChars: number },
): ToolValidationError {
  return new ToolValidationError(
    `start_char (${char}) is beyond the end of line ${line}, which has ${lineChars} ${lineChars === 1 ? "character" : "characters"}.`,
    {
      code: "VALUE_INVALID",
      hint: `Use a start_char from 1 to ${Math.max(lineChars, 1)}.`,
      details: { lineChars },
    },
  );
}

export function noRange(path: string, what: string): ToolValidationError {
  return new ToolValidationError(`A line range is not possible: ${path} is ${what}.`, {
    code: "VALUE_INVALID",
    hint: "Omit start_line and end_line.",
  });
}
