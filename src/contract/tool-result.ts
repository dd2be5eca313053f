import { isRecord } from "./is-record.js";

/** A result in a wrapper that says whether the tool succeeded. Tenon takes it apart: see `isToolResult`. */
export interface ToolResult<Data = unknown> {
  readonly success: boolean;
  readonly data?: Data;
  /** Another name for `data`. */
  readonly result?: Data;
  /** Why it failed. */
  readonly error?: string | { readonly message: string; readonly code?: string };
  readonly metadata?: unknown;
}

/** The type of the result that a caller gets where a tool returned a wrapped one. */
export type Unwrapped<Result> = Result extends { readonly success: boolean }
  ? "data" extends keyof Result
    ? Exclude<Result["data"], undefined>
    : "result" extends keyof Result
      ? Exclude<Result["result"], undefined>
      : "error" extends keyof Result
        ? never
        : Result
  : Result;

const wrapperKeys: ReadonlySet<string> = new Set([
  "success",
  "data",
  "result",
  "error",
  "metadata",
  "toolName",
  "toolCallId",
  "callId",
  "startedAt",
  "completedAt",
  "duration",
  "durationMs",
  "content",
]);

/**
 * Whether a value is a wrapper and nothing else: `success` with `data`, `result` or `error`, beside nothing but what
 * Tenon's own envelope says as well (so that a tool may return the answer of a call that it made). A result that merely has a field `success` is left as it is.
 */
export function isToolResult(value: unknown): value is ToolResult {
  if (!isRecord(value) || typeof value["success"] !== "boolean") return false;
  const keys = Object.keys(value);
  const says = (key: string): boolean => key === "data" || key === "result" || key === "error";
  return keys.some(says) && keys.every((key) => wrapperKeys.has(key));
}

/** Shorter results are written again faster than they are found. */
const minChars = 1024;
const texts = new WeakMap<object, string>();

/** Note the JSON text of a result, so that the log and an MCP host need not write it twice. */
export function keepResultText(result: unknown, text: string): void {
  if (text.length >= minChars && typeof result === "object" && result !== null) texts.set(result, text);
}

/** The JSON text of this very result, if it was noted. */
export function resultTextOf(result: unknown): string | undefined {
  return typeof result === "object" && result !== null ? texts.get(result) : undefined;
}
