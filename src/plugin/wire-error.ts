import {
  ToolCancelledError,
  ToolDefinitionError,
  ToolError,
  ToolExecutionError,
  ToolInternalError,
  ToolNotFoundError,
  ToolPermissionError,
  ToolResourceNotFoundError,
  ToolSecurityError,
  ToolTimeoutError,
  ToolUnavailableError,
  ToolValidationError,
  type ErrorInfo,
  type ToolErrorOptions,
} from "../contract/errors.js";

const classes = {
  ToolError,
  ToolResourceNotFoundError,
  ToolValidationError,
  ToolPermissionError,
  ToolSecurityError,
  ToolTimeoutError,
  ToolCancelledError,
  ToolExecutionError,
  ToolUnavailableError,
  ToolInternalError,
  ToolDefinitionError,
} as const;

const mostChars = 4000;

/** Whatever was thrown, as plain data. One of Tenon's errors is known by its shape: the plugin may have its own copy. */
export function toWireError(thrown: unknown): ErrorInfo {
  const { name, message, code, hint, retryable, details } = readError(thrown);
  const known = typeof name === "string" && (name in classes || name === "ToolNotFoundError");
  if (known && typeof code === "string") {
    return {
      type: name,
      code,
      message: clip(typeof message === "string" ? message : ""),
      ...(typeof hint === "string" && { hint: clip(hint) }),
      retryable: retryable === true,
      ...(isPlainRecord(details) && { details }),
    };
  }
  if (name === "AbortError")
    return info("ToolCancelledError", "CANCELLED", "The tool stopped because it was aborted.");
  const text = typeof message === "string" && message !== "" ? message : `The tool threw ${say(thrown)}`;
  return {
    ...info("ToolExecutionError", "EXECUTION_FAILED", text),
    retryable: retryable === true,
    details: { unexpected: true, ...(typeof code === "string" && { systemCode: code }) },
  };
}

/** The error of the other process, as a class of this one. */
export function fromWireError(wire: unknown): ToolError {
  const { type, code, message, hint, retryable, details } = readError(wire);
  const options: ToolErrorOptions = {
    ...(typeof code === "string" && { code: code.slice(0, 100) }),
    ...(typeof hint === "string" && { hint: clip(hint) }),
    retryable: retryable === true,
    ...(isPlainRecord(details) && { details }),
  };
  const text = clip(typeof message === "string" ? message : "The plugin gave no reason.");
  if (type === "ToolNotFoundError") return new ToolNotFoundError(/"([^"]*)"/.exec(text)?.[1] ?? "", options);
  const known = typeof type === "string" && Object.hasOwn(classes, type);
  const Class = known ? classes[type as keyof typeof classes] : ToolExecutionError;
  return new Class(text, options);
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

function say(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "something that cannot be shown";
  }
}

function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function clip(text: string): string {
  return (text.length > mostChars ? `${text.slice(0, mostChars)}…` : text).toWellFormed();
}
