import { messageOf } from "../contract/message-of.js";
import { isRecord } from "../contract/is-record.js";
import { isErrorType, toolErrorFrom, type ErrorInfo, type ToolError } from "../contract/errors.js";

const maxChars = 4000;

/** Whatever was thrown, as plain data. One of Tenon's errors is known by its shape: the plugin may have its own copy. */
export function toWireError(thrown: unknown): ErrorInfo {
  const { name, message, code, hint, retryable, details } = readError(thrown);
  if (typeof name === "string" && isErrorType(name) && typeof code === "string") {
    return {
      type: name,
      code,
      message: clip(typeof message === "string" ? message : ""),
      ...(typeof hint === "string" && { hint: clip(hint) }),
      retryable: retryable === true,
      ...(isRecord(details) && { details }),
    };
  }
  if (name === "AbortError")
    return info("ToolCancelledError", "CANCELLED", "The tool stopped because it was aborted.");
  const text =
    typeof message === "string" && message !== "" ? message : `The tool threw ${messageOf(thrown)}`;
  return {
    ...info("ToolExecutionError", "EXECUTION_FAILED", text),
    retryable: retryable === true,
    details: { unexpected: true, ...(typeof code === "string" && { systemCode: code }) },
  };
}

/** The error of the other process, as a class of this one. */
export function fromWireError(wire: unknown): ToolError {
  const { type, code, message, hint, retryable, details } = readError(wire);
  return toolErrorFrom({
    type: typeof type === "string" ? type : "",
    code: typeof code === "string" ? code.slice(0, 100) : "EXECUTION_FAILED",
    message: clip(typeof message === "string" ? message : "The plugin gave no reason."),
    ...(typeof hint === "string" && { hint: clip(hint) }),
    retryable: retryable === true,
    ...(isRecord(details) && { details }),
  });
}

interface ErrorFields {
  name?: unknown;
  type?: unknown;
  message?: unknown;
  code?: unknown;
  hint?: unknown;
  retryable?: unknown;
  details?: unknown;
}

function readError(thrown: unknown): ErrorFields {
  if (typeof thrown !== "object" || thrown === null) return {};
  try {
    const { name, type, message, code, hint, retryable, details } = thrown as ErrorFields;
    return { name, type, message, code, hint, retryable, details };
  } catch {
    return {}; // a getter that throws tells nothing
  }
}

function info(type: string, code: string, message: string): ErrorInfo {
  return { type, code, message: clip(message), retryable: false };
}

function clip(text: string): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars)}…` : text).toWellFormed();
}
