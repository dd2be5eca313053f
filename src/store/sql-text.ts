import { ToolInternalError, ToolValidationError } from "../contract/errors.js";
import type { SqlValue } from "./sql.js";

/** Whether a statement may change something. */
export function isWrite(sql: string): boolean {
  const [, word = ""] = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*([a-z]+)/i.exec(sql) ?? [];
  if (/^with$/i.test(word)) return /\b(?:insert|update|delete)\b/i.test(sql);
  return !/^(?:select|values|explain|pragma)$/i.test(word);
}

/** The error for reading the rows of a write that no transaction is around: whether it was kept shows only at its end. */
export function writeRefused(sql: string): ToolInternalError {
  const [word = ""] = /[a-z]+/i.exec(sql) ?? [];
  return new ToolInternalError(`Rows of a writing statement (${word}) were read outside a transaction.`, {
    code: "INTERNAL",
    hint: "Use `run`, or read its rows inside a transaction.",
  });
}

/** Number the placeholders for PostgreSQL; a `?` in quotes or a comment is not a placeholder. */
export function toNumbered(sql: string): string {
  let n = 0;
  return sql.replaceAll(parts, (part) => (part === "?" ? `$${(n += 1)}` : part));
}

const parts = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;

/** PostgreSQL has no text with a NUL and SQLite gives it back cut off, so neither gets one. */
export function refuseNul(parameters: readonly SqlValue[]): void {
  for (const value of parameters) {
    if (typeof value !== "string" || !value.includes("\0")) continue;
    throw new ToolValidationError("A text with a NUL character cannot be stored.", {
      code: "VALUE_INVALID",
      hint: "Remove the NUL character, or store the bytes in a file.",
    });
  }
}
