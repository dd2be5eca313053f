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

/** Shorter results are written again faster than they are passed on. */
const minChars = 1024;

/** An envelope that can carry the JSON text of its result. A weak map would keep the texts until a full collection. */
interface TextCarrier {
  setResultText(text: string | undefined): void;
  getResultText(): string | undefined;
}

/** Note the JSON text of an envelope's result, so that the log and an MCP host need not write it twice. */
export function keepResultText(envelope: object, text: string): void {
  if (text.length >= minChars) (envelope as Partial<TextCarrier>).setResultText?.(text);
}

/** The JSON text of the envelope's result, if it is known. */
export function knownResultText(envelope: object): string | undefined {
  return (envelope as Partial<TextCarrier>).getResultText?.();
}

/** The same for the last who needs it: the envelope does not keep it any longer. */
export function takeResultText(envelope: object): string | undefined {
  const text = knownResultText(envelope);
  if (text !== undefined) (envelope as Partial<TextCarrier>).setResultText?.(undefined);
  return text;
}
