import {
  ToolCancelledError,
  ToolError,
  ToolExecutionError,
  ToolTimeoutError,
  type ErrorInfo,
} from "../contract/errors.js";

const maxMessageChars = 4000;

/** Whatever was thrown, as one of Tenon's errors. */
export function toToolError(thrown: unknown, toolName: string): ToolError {
  if (thrown instanceof ToolError) {
    thrown.toolName ??= toolName;
    return thrown;
  }
  const name = readString(thrown, "name");
  if (name === "AbortError") return new ToolCancelledError("The tool stopped because it was aborted.", { toolName, cause: thrown });
  if (name === "TimeoutError") {
    return new ToolTimeoutError("Something the tool waited for timed out.", { toolName, cause: thrown });
  }
  return new ToolExecutionError(messageOf(thrown), {
    toolName,
    cause: thrown,
    retryable: isTransient(thrown),
    details: { unexpected: true, ...(readString(thrown, "code") !== undefined && { systemCode: readString(thrown, "code") }) },
  });
}

/** The error as plain data for the envelope. */
export function toErrorInfo(error: ToolError): ErrorInfo {
  return {
    type: error.name,
    code: error.code,
    message: error.message.length > maxMessageChars ? `${error.message.slice(0, maxMessageChars)}…` : error.message,
    ...(error.hint !== undefined && { hint: error.hint }),
    retryable: error.retryable,
    ...(error.details !== undefined && { details: error.details }),
  };
}

/** Whether a failure says something about the tool's health, not about the caller's input. */
export function isCritical(error: ToolError): boolean {
  if (error.name === "ToolInternalError" || error.name === "ToolTimeoutError") return true;
  return error.name === "ToolExecutionError" && error.details?.["unexpected"] === true && !error.retryable;
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
  if (code !== undefined && transientCodes.has(code)) return true;
  try {
    return (thrown as { retryable?: unknown } | null | undefined)?.retryable === true;
  } catch {
    return false; // a getter that throws makes nothing retryable
  }
}

function messageOf(thrown: unknown): string {
  const message = readString(thrown, "message");
  if (message !== undefined && message !== "") return message;
  try {
    return `The tool threw ${typeof thrown === "string" ? thrown : String(thrown)}`;
  } catch {
    return "The tool threw something that cannot be shown.";
  }
}

/** Thrown things may be proxies or have getters that throw themselves. */
function readString(thrown: unknown, field: "name" | "message" | "code"): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  try {
    const value: unknown = (thrown as Record<string, unknown>)[field];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
