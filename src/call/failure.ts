import {
  ToolCancelledError,
  ToolError,
  ToolExecutionError,
  ToolTimeoutError,
  type ErrorInfo,
} from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import { takePlain } from "../schema/take-plain.js";

const maxMessageChars = 4000;

/** Convert anything that was thrown to one of Tenon's errors. */
export function toToolError(thrown: unknown, toolName: string): ToolError {
  if (isToolError(thrown)) return named(thrown, toolName);
  const name = readString(thrown, "name");
  if (name === "AbortError") {
    return new ToolCancelledError("The tool stopped because it was aborted.", { toolName, cause: thrown });
  }
  if (name === "TimeoutError") {
    return new ToolTimeoutError("Something the tool waited for timed out.", { toolName, cause: thrown });
  }
  const systemCode = readString(thrown, "code");
  const hasMessage = (readString(thrown, "message") ?? "") !== "";
  return new ToolExecutionError(hasMessage ? messageOf(thrown) : `The tool threw ${messageOf(thrown)}`, {
    toolName,
    cause: thrown,
    retryable: isTransient(thrown),
    details: { unexpected: true, ...(systemCode !== undefined && { systemCode }) },
  });
}

/** The error as plain data for the envelope; a tool's own error may carry anything in its fields. */
export function toErrorInfo(error: ToolError): ErrorInfo {
  const hint = readString(error, "hint");
  const details = toPlainDetails(error);
  return {
    type: readString(error, "name") ?? "ToolError",
    code: readString(error, "code") ?? "EXECUTION_FAILED",
    message: clip(readString(error, "message") ?? ""),
    ...(hint !== undefined && { hint: clip(hint) }),
    retryable: isRetryable(error),
    ...(details !== undefined && { details }),
  };
}

/** Whether a failure says something about the tool's health, not about the caller's input. */
export function isCritical(error: ToolError): boolean {
  const { type, retryable, details } = toErrorInfo(error);
  if (type === "ToolInternalError" || type === "ToolTimeoutError") return true;
  return type === "ToolExecutionError" && details?.["unexpected"] === true && !retryable;
}

function isToolError(thrown: unknown): thrown is ToolError {
  try {
    return thrown instanceof ToolError && typeof thrown.name === "string";
  } catch {
    return false; // a proxy may refuse to tell its prototype, a getter its name
  }
}

function named(error: ToolError, toolName: string): ToolError {
  try {
    error.toolName ??= toolName;
  } catch {
    // A frozen error keeps what it has.
  }
  return error;
}

const transientCodes = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EPIPE",
  "EBUSY",
  "EMFILE",
  "ENFILE",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
]);

function isTransient(thrown: unknown): boolean {
  const code = readString(thrown, "code");
  return (code !== undefined && transientCodes.has(code)) || isRetryable(thrown);
}

function isRetryable(thrown: unknown): boolean {
  try {
    return (thrown as { retryable?: unknown } | null | undefined)?.retryable === true;
  } catch {
    return false; // a getter that throws makes nothing retryable
  }
}

/** One detail at a time, so that one that is not plain data does not affect the others. */
function toPlainDetails(error: ToolError): Record<string, unknown> | undefined {
  try {
    if (typeof error.details !== "object" || error.details === null) return undefined;
    const entries = Object.entries(error.details).filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries.map(([key, value]) => [key, toPlain(value)]));
  } catch {
    return undefined;
  }
}

function toPlain(value: unknown): unknown {
  const plain = takePlain(value);
  return plain.ok ? plain.value : `[${plain.issues[0]?.message}]`;
}

function clip(text: string): string {
  return (text.length > maxMessageChars ? `${text.slice(0, maxMessageChars)}…` : text).toWellFormed();
}

/** Thrown things may be proxies or have getters that throw themselves. */
function readString(thrown: unknown, field: "name" | "message" | "code" | "hint"): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  try {
    const value: unknown = (thrown as Record<string, unknown>)[field];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
