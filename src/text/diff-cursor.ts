import { ToolValidationError } from "../contract/errors.js";

/** The lines of a diff and how far they were read. */
export interface DiffCursor {
  /** The line that many ahead of the next one; `undefined` past the end. */
  peek(ahead?: number): string | undefined;
  skip(count?: number): void;
  /** The lines from one position up to the current one, as they were written; joined when they are asked for. */
  sourceFrom(from: number): () => string;
  readonly position: number;
  /** The error for a line, the next one unless said. */
  fault(message: string, hint: string, at?: number): ToolValidationError;
}

/** Read a diff line by line. */
export function createDiffCursor(diff: string): DiffCursor {
  const lines = toLines(diff);
  let position = 0;
  return {
    get position() {
      return position;
    },
    peek: (ahead = 0) => lines[position + ahead],
    skip(count = 1) {
      position += count;
    },
    sourceFrom(from) {
      const to = position;
      return () => lines.slice(from, to).join("\n");
    },
    fault: (message, hint, at = position) =>
      diffFault(message, hint, { line: lines[at] ?? "", number: at + 1 }),
  };
}

/** The error for a diff that cannot be read. */
export function diffFault(
  message: string,
  hint: string,
  at?: { readonly line: string; readonly number: number },
): ToolValidationError {
  const shown = at && JSON.stringify(at.line.length > 200 ? `${at.line.slice(0, 200)}…` : at.line);
  return new ToolValidationError(at ? `${message} Line ${at.number} of the diff: ${shown}.` : message, {
    code: "VALUE_INVALID",
    hint,
    ...(at ? { details: { line: at.number } } : {}),
  });
}

/** A diff that was itself given carriage returns shows them on its own lines, the "@@" among them. */
function toLines(diff: string): string[] {
  const lines = diff.replace(/^\uFEFF/, "").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (!diff.includes("\r")) return lines;
  const own = lines.filter((line) => /^(@@|diff --git |\+\+\+ |\*\*\* (Begin|End) Patch)/.test(line));
  if (own.length === 0 || !own.every((line) => line.endsWith("\r"))) return lines;
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}
