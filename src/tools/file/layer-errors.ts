import { errorCodes } from "../../contract/error-codes.js";
import {
  ToolError,
  ToolExecutionError,
  ToolResourceNotFoundError,
  ToolSecurityError,
  ToolValidationError,
} from "../../contract/errors.js";
import type { NearestText } from "../../text/nearest-text.js";
import type { LineSpan } from "../../text/splice.js";
import { unifiedDiff } from "../../text/unified-diff.js";
import type { LineChangeSeen } from "./freshness.js";

/** Layer 1: nothing would change. */
export function noChange(what: string): ToolValidationError {
  return new ToolValidationError(what, {
    code: "EDIT_NO_CHANGE",
    hint: "Send a new text that differs from the old one.",
    details: { errorCode: 1, layer: 1 },
  });
}

/** Layer 2: the path may not be used so; also layer 4, where nothing can be created there. */
export function pathRefused(
  reason: string,
  { code, layer = 2, hint }: { code: string; layer?: 2 | 4; hint?: string },
): ToolSecurityError {
  const wayOut: string | undefined = (errorCodes as Partial<Record<string, { wayOut: string }>>)[code]
    ?.wayOut;
  return new ToolSecurityError(reason, {
    code,
    hint: hint ?? wayOut ?? "Use a path inside the workspace.",
    details: { errorCode: 2, layer },
  });
}

/** Layer 3: a new file was wanted where one with content is. */
export function createExists(path: string): ToolValidationError {
  return new ToolValidationError(`${quote(path)} exists already and is not empty, so it cannot be created.`, {
    code: "EDIT_CREATE_EXISTS",
    hint: "Read it and edit what is there (old_str must not be empty), or choose another path.",
    details: { errorCode: 3, layer: 3 },
  });
}

/** Layer 5: there is no such file. */
export function fileMissing(path: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(`File not found: ${quote(path)}.`, {
    hint: "Check the path; list the directory to see what exists.",
    details: { errorCode: 4, layer: 5 },
  });
}

/** Layer 6: it is there, but no text. */
export function notText(path: string, what: string): ToolValidationError {
  return new ToolValidationError(`${quote(path)} ${what} and cannot be edited as text.`, {
    code: "EDIT_NOT_TEXT",
    hint: "Name a text file; bytes are written with write_file and encoding base64.",
    details: { errorCode: 5, layer: 6 },
  });
}

/** Layer 6: a text, but this change of it cannot be made byte for byte. */
export function notExact(path: string, reason: string): ToolValidationError {
  return new ToolValidationError(`${quote(path)} cannot be changed like this: ${reason}`, {
    code: "EDIT_NOT_EXACT",
    hint: "Nothing was changed. Use characters that the file's encoding has, or edit the text around what is broken.",
    details: { errorCode: 5, layer: 6 },
  });
}

/** Layer 7: the lines were never shown. */
export function notRead(path: string, span?: LineSpan): ToolExecutionError {
  const where = span === undefined ? "" : ` where it would change: ${describeLines(span)}`;
  const range = span === undefined ? "" : ` with start_line ${span.startLine} and end_line ${span.endLine}`;
  return new ToolExecutionError(`${quote(path)} has not been read yet in this session${where}.`, {
    code: "EDIT_NOT_READ",
    hint: `Call read_file on it${range} first, then make the change.`,
    details: { errorCode: 6, layer: 7, ...(span !== undefined && { lines: span }) },
  });
}

/** Layer 8: the lines were shown, but are others now. */
export function modifiedSinceRead(path: string, change: LineChangeSeen | undefined): ToolExecutionError {
  const diff = change === undefined ? "" : diffSeen(path, change);
  const shown = diff === "" ? "" : `\n${clip(diff, 3000)}`;
  return new ToolExecutionError(`${quote(path)} has been modified since read.${shown}`, {
    code: "EDIT_STALE",
    hint: "Read the lines again and decide anew; what others changed must not be lost.",
    details: { errorCode: 7, layer: 8, ...(diff !== "" && { diff }) },
  });
}

/** Layer 9: the text is not there. */
export function oldTextMissing(path: string, nearest: NearestText | undefined): ToolValidationError {
  return new ToolValidationError(`old_str was not found in ${quote(path)}.${describeNearest(nearest)}`, {
    code: "EDIT_OLD_STR_MISSING",
    hint: "Send old_str exactly as it stands in the file, without line numbers.",
    details: { errorCode: 8, layer: 9, ...(nearest !== undefined && { nearest }) },
  });
}

/** Layer 9: the text is there more than once. */
export function oldTextAmbiguous(
  path: string,
  { count, lines }: { readonly count: number; readonly lines: readonly number[] },
): ToolValidationError {
  const places = `${lines.slice(0, 10).join(", ")}${count > Math.min(lines.length, 10) ? ", …" : ""}`;
  return new ToolValidationError(`old_str was found ${count} times in ${quote(path)}, at lines ${places}.`, {
    code: "EDIT_OLD_STR_AMBIGUOUS",
    hint: "Add lines around it until it is unique, or set replace_all to change every one of them.",
    details: { errorCode: 9, layer: 9, count, lines },
  });
}

/** Where something most like a text stands, and how it differs, in words for the message. */
export function describeNearest(nearest: NearestText | undefined): string {
  if (nearest === undefined) return "";
  const { startLine, endLine, text, differences } = nearest;
  const how = differences.length === 0 ? "" : ` (it differs in: ${differences.join("; ")})`;
  return ` The nearest text stands at ${describeLines({ startLine, endLine })}${how}:\n${clip(text, 1500)}`;
}

/** Something is where something else should go. */
export function existsAlready(path: string): ToolExecutionError {
  return new ToolExecutionError(`${quote(path)} exists already.`, {
    code: "FILE_CONFLICT",
    hint: "Choose another path, or set overwrite where a file is to be replaced.",
    details: { errorCode: 3, layer: 3 },
  });
}

/** A directory goes only with all in it. */
export function needsRecursive(path: string): ToolExecutionError {
  return new ToolExecutionError(`${quote(path)} is a directory.`, {
    code: "FILE_CONFLICT",
    hint: "Set recursive to delete it with all in it.",
  });
}

/** "line 3" or "lines 3-5". */
export function describeLines({ startLine, endLine }: LineSpan): string {
  return startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
}

/** A path on one line, not too long. */
export function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 197)}...` : path);
}

/** Whether a change failed because someone else changed the same thing meanwhile. */
export function isConflict(thrown: unknown): boolean {
  return thrown instanceof ToolError && thrown.code === "FILE_CONFLICT";
}

function diffSeen(path: string, { before, after }: LineChangeSeen): string {
  const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
  const diff = unifiedDiff({ path, before: toText(before.lines), after: toText(after.lines) });
  return shiftHunks(diff, { before: before.start - 1, after: after.start - 1 });
}

/** Move the line numbers in the heads of hunks: the texts that were compared begin further down in their files. */
export function shiftHunks(diff: string, by: { readonly before: number; readonly after: number }): string {
  const head = /^@@ -(\d+)((?:,\d+)?) \+(\d+)((?:,\d+)?) @@$/gm;
  return diff.replaceAll(
    head,
    (_whole, old: string, oldCount: string, now: string, nowCount: string) =>
      `@@ -${Number(old) + by.before}${oldCount} +${Number(now) + by.after}${nowCount} @@`,
  );
}

function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}\n…` : text;
}
