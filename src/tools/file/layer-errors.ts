import { errorCodes } from "../../contract/error-codes.js";
import {
  ToolError,
  ToolExecutionError,
  ToolResourceNotFoundError,
  ToolSecurityError,
  ToolValidationError,
} from "../../contract/errors.js";
import type { Files } from "../../contract/ports/files.js";
import type { NearestText } from "../../text/nearest-text.js";
import type { LineSpan } from "../../text/splice.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import type { LineChangeSeen } from "./freshness.js";
import type { UnreadPlace } from "./known-lines.js";

/** Layer 1: nothing would change. */
export function noChange(what: string): ToolValidationError {
  return new ToolValidationError(what, {
    code: "EDIT_NO_CHANGE",
    hint: "Pass a new text that differs from the old one.",
    details: { errorCode: 1, layer: 1 },
  });
}

/** Layer 2: the path may not be used this way; also layer 4, if nothing can be created there. */
export function pathRefused(
  reason: string,
  { code, layer = 2, hint }: { code: string; layer?: 2 | 4; hint?: string },
): ToolSecurityError {
  const known = (errorCodes as Partial<Record<string, { hint: string }>>)[code];
  return new ToolSecurityError(reason, {
    code,
    hint: hint ?? known?.hint ?? "Use a path inside the workspace.",
    details: { errorCode: 2, layer },
  });
}

/** Layer 3: a file to create already exists with content. */
export function createExists(
  path: string,
  hint = "Read it and edit its content (old_str must not be empty), or choose another path.",
): ToolValidationError {
  return new ToolValidationError(`${quote(path)} cannot be created: it already exists and is not empty.`, {
    code: "EDIT_CREATE_EXISTS",
    hint,
    details: { errorCode: 3, layer: 3 },
  });
}

/** Layer 5: the file does not exist. */
export async function fileMissing(
  { files }: { readonly files: Pick<Files, "nearest"> },
  path: string,
): Promise<ToolResourceNotFoundError> {
  const nearest = await files.nearest?.(path);
  return new ToolResourceNotFoundError(`File not found: ${quote(path)}.`, {
    hint:
      nearest === undefined
        ? "Check the path; list the directory to see what exists."
        : `Did you mean ${quote(nearest)}?`,
    details: { errorCode: 4, layer: 5, ...(nearest !== undefined && { nearest }) },
  });
}

/** Layer 6: it exists, but is not text. */
export function notText(path: string, what: string): ToolValidationError {
  return new ToolValidationError(`${quote(path)} ${what} and cannot be edited as text.`, {
    code: "EDIT_NOT_TEXT",
    hint: "Use a text file. Binary content can be written with write_file and encoding base64.",
    details: { errorCode: 5, layer: 6 },
  });
}

/** Layer 6: a text file, but too large to be changed as text. */
export function tooLargeToChange(path: string, size: number, limit: number): ToolValidationError {
  return new ToolValidationError(
    `${quote(path)} has ${size} bytes and cannot be changed as text: the limit is ${limit} bytes.`,
    {
      code: "FILE_TOO_LARGE",
      hint: "Raise files.maxFileSize, or change it with a shell command such as sed.",
      details: { errorCode: 5, layer: 6, maxFileSize: limit, size },
    },
  );
}

/** Layer 6: a text file, but this change cannot be made without altering other bytes. */
export function notExact(path: string, reason: string): ToolValidationError {
  return new ToolValidationError(`${quote(path)} cannot be changed this way: ${reason}`, {
    code: "EDIT_NOT_EXACT",
    hint: "Nothing was changed. Use characters that the encoding of the file supports, or edit around the invalid bytes.",
    details: { errorCode: 5, layer: 6 },
  });
}

/** Layer 7: the lines were never shown. All places are named, so that they can be read at once. */
export function notRead(path: string, spans: readonly UnreadPlace[] = []): ToolExecutionError {
  const places = joinPlaces(spans);
  const where = places.length === 0 ? "" : ` where it would change: ${describePlaces(places)}`;
  return new ToolExecutionError(`${quote(path)} has not been read yet in this session${where}.`, {
    code: "EDIT_NOT_READ",
    hint: hintToRead(places),
    details: {
      errorCode: 6,
      layer: 7,
      file: { path, places },
      ...(places.length > 0 && { lines: places[0], places }),
    },
  });
}

/** Layer 7 for several files: all places of all of them are named, so that they can be read at once. */
export function filesNotRead(errors: readonly ToolError[]): ToolError {
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return first;
  const files = errors.map(({ details }) => details?.["file"] as UnreadFile);
  const places = files.map(describeFile).join("; ");
  return new ToolExecutionError(`${files.length} files have not been read yet in this session: ${places}.`, {
    code: "EDIT_NOT_READ",
    hint: `Call read_file on each of them first: ${places}. Then make the change.`,
    details: { errorCode: 6, layer: 7, files },
  });
}

interface UnreadFile {
  readonly path: string;
  readonly places: readonly UnreadPlace[];
}

function describeFile({ path, places }: UnreadFile): string {
  return places.length === 0 ? quote(path) : `${quote(path)}, ${describePlaces(places)}`;
}

/** Places with fewer lines between them are read together. */
const maxGapLines = 20;
const maxShownPlaces = 50;

/** Places in order, those that are near each other as one. */
function joinPlaces(spans: readonly UnreadPlace[]): UnreadPlace[] {
  const joined: UnreadPlace[] = [];
  for (const span of [...spans].sort((one, other) => one.startLine - other.startLine)) {
    const last = joined.at(-1);
    const isApart = last === undefined || span.startLine > last.endLine + maxGapLines;
    if (isApart || last.startChar !== undefined || span.startChar !== undefined) joined.push(span);
    else
      joined[joined.length - 1] = {
        startLine: last.startLine,
        endLine: Math.max(last.endLine, span.endLine),
      };
  }
  return joined;
}

function describePlaces(places: readonly UnreadPlace[]): string {
  const more = places.length > maxShownPlaces ? ` and ${places.length - maxShownPlaces} more places` : "";
  return `${places.slice(0, maxShownPlaces).map(describePlace).join(", ")}${more}`;
}

function describePlace(place: UnreadPlace): string {
  const { startChar, endChar } = place;
  if (startChar === undefined) return describeLines(place);
  return `${describeLines(place)} (start_char ${startChar}, end_char ${endChar})`;
}

function hintToRead(places: readonly UnreadPlace[]): string {
  const [first] = places;
  if (first === undefined) return "Call read_file on it first, then make the change.";
  if (places.length > 1) {
    return `Call read_file on each of these places first: ${describePlaces(places)}. Then make the change.`;
  }
  const { startLine, endLine, startChar, endChar } = first;
  const where =
    startChar === undefined
      ? `start_line ${startLine} and end_line ${endLine}`
      : `start_line ${startLine}, start_char ${startChar} and end_char ${endChar}`;
  return `Call read_file on it with ${where} first, then make the change.`;
}

/** Layer 8: the lines were shown, but have changed since. */
export function modifiedSinceRead(path: string, change: LineChangeSeen | undefined): ToolExecutionError {
  const diff = change === undefined ? "" : diffOfChange(path, change);
  const shown = diff === "" ? "" : `\n${clipText(diff, 3000)}`;
  return new ToolExecutionError(`${quote(path)} has been modified since read.${shown}`, {
    code: "EDIT_STALE",
    hint: "Read the lines again and adapt the change, so that changes by others are not lost.",
    details: { errorCode: 7, layer: 8, ...(diff !== "" && { diff }) },
  });
}

/** Layer 9: the text does not occur. */
export function oldTextMissing(path: string, nearest: NearestText | undefined): ToolValidationError {
  return new ToolValidationError(`old_str was not found in ${quote(path)}.${describeNearest(nearest)}`, {
    code: "EDIT_OLD_STR_MISSING",
    hint: "Pass old_str exactly as it is in the file, without line numbers.",
    details: { errorCode: 8, layer: 9, ...(nearest !== undefined && { nearest }) },
  });
}

/** Layer 9: the text occurs more than once. */
export function oldTextAmbiguous(
  path: string,
  { count, lines }: { readonly count: number; readonly lines: readonly number[] },
): ToolValidationError {
  const places = `${lines.slice(0, 10).join(", ")}${count > Math.min(lines.length, 10) ? ", …" : ""}`;
  return new ToolValidationError(`old_str was found ${count} times in ${quote(path)}, at lines ${places}.`, {
    code: "EDIT_OLD_STR_AMBIGUOUS",
    hint: "Add surrounding lines until it is unique, or set replace_all to replace every occurrence.",
    details: { errorCode: 9, layer: 9, count, lines },
  });
}

/** The most similar text and how it differs, for a message. */
export function describeNearest(nearest: NearestText | undefined): string {
  if (nearest === undefined) return "";
  const { startLine, endLine, text, differences } = nearest;
  const how = differences.length === 0 ? "" : ` (differences: ${differences.join("; ")})`;
  return ` The most similar text is at ${describeLines({ startLine, endLine })}${how}:\n${clipText(text, 1500)}`;
}

/** Something already exists at the destination. */
export function existsAlready(
  path: string,
  hint = "Choose another path, or set overwrite to replace a file.",
): ToolExecutionError {
  return new ToolExecutionError(`${quote(path)} already exists.`, {
    code: "FILE_CONFLICT",
    hint,
    details: { errorCode: 3, layer: 3 },
  });
}

/** A directory can only be deleted with its contents. */
export function needsRecursive(
  path: string,
  hint = "Set recursive to delete it and its contents.",
): ToolExecutionError {
  return new ToolExecutionError(`${quote(path)} is a directory.`, {
    code: "FILE_CONFLICT",
    hint,
  });
}

/** "line 3" or "lines 3-5". */
function describeLines({ startLine, endLine }: LineSpan): string {
  return startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
}

/** A path as a JSON string, shortened if it is long. */
export function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 197)}...` : path);
}

/** Whether a change failed because something else changed the same file in the meantime. */
export function isConflict(thrown: unknown): boolean {
  return thrown instanceof ToolError && thrown.code === "FILE_CONFLICT";
}

function diffOfChange(path: string, { before, after }: LineChangeSeen): string {
  const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
  const linesAbove = { before: before.start - 1, after: after.start - 1 };
  return unifiedDiff({ path, before: toText(before.lines), after: toText(after.lines), linesAbove });
}

/** A text cut at a maximum length. */
export function clipText(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}\n…` : text;
}
