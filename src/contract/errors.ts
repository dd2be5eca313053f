import type { ContentPart } from "./call.js";
import { errorCodes, type ErrorCode } from "./error-codes.js";

/** What every tool error can carry besides its message. */
export interface ToolErrorOptions {
  readonly code?: ErrorCode | (string & {});
  readonly toolName?: string;
  /** What to do about it, in a sentence that the model or the person can follow. */
  readonly hint?: string;
  readonly retryable?: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What the model is shown instead of the code, message and hint. */
  readonly content?: readonly ContentPart[];
  readonly cause?: unknown;
}

/** The error of an answer: plain data, safe to send anywhere. */
export interface ErrorInfo {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly retryable: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The base of every error that a tool or Tenon itself raises. */
export class ToolError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly content?: readonly ContentPart[];
  toolName?: string;

  constructor(message: string, options: ToolErrorOptions = {}, code: ErrorCode = "EXECUTION_FAILED") {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code ?? code;
    this.retryable = options.retryable ?? false;
    if (options.hint !== undefined) this.hint = options.hint;
    if (options.details !== undefined) this.details = options.details;
    if (options.content !== undefined) this.content = options.content;
    if (options.toolName !== undefined) this.toolName = options.toolName;
  }
}

/** The tool itself is unknown, or not visible to this agent. */
export class ToolNotFoundError extends ToolError {
  constructor(toolName: string, options: ToolErrorOptions = {}) {
    super(`Tool "${toolName}" not found.`, { ...options, toolName }, "TOOL_NOT_FOUND");
  }
}

/** A thing that the call names (a file, a snippet, a memory) does not exist. */
export class ToolResourceNotFoundError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(
      /not found|^nothing\b/i.test(message) ? message : `Not found: ${message}`,
      options,
      "RESOURCE_NOT_FOUND",
    );
  }
}

/** The arguments are wrong. */
export class ToolValidationError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options, "ARGUMENTS_INVALID");
  }
}

/** A rule or a person refused. */
export class ToolPermissionError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(
      message.startsWith("Access denied") ? message : `Access denied: ${message}`,
      options,
      "ACCESS_DENIED",
    );
  }
}

/** A path leaves the allowed folders, or is not a regular file. */
export class ToolSecurityError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options, "PATH_OUTSIDE");
  }
}

/** The time limit was reached. */
export class ToolTimeoutError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, { retryable: true, ...options }, "TIMED_OUT");
  }
}

/** The caller no longer wants the result. */
export class ToolCancelledError extends ToolError {
  constructor(message = "The call was cancelled.", options: ToolErrorOptions = {}) {
    super(message, options, "CANCELLED");
  }
}

/** The tool ran and failed. */
export class ToolExecutionError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options, "EXECUTION_FAILED");
  }
}

/** The tool is there but cannot be used now. */
export class ToolUnavailableError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, { retryable: true, ...options }, "TOOL_DISABLED");
  }
}

/** A fault of Tenon's own or of an extension. */
export class ToolInternalError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options, "INTERNAL");
  }
}

/** A definition was refused at registration. */
export class ToolDefinitionError extends ToolError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options, "DEFINITION_INVALID");
  }
}

/** Every class by its name. The name is on the prototype, where minified code keeps it too. */
const byType = {
  ToolError,
  ToolNotFoundError,
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
};
for (const [name, type] of Object.entries(byType))
  Object.defineProperty(type.prototype, "name", { value: name, configurable: true });

/** Whether this is the name of one of these classes. */
export function isErrorType(name: string): name is keyof typeof byType {
  return Object.hasOwn(byType, name);
}

/** The error of an answer as an instance of its class, to be thrown again. */
export function toolErrorFrom(
  info: Omit<ErrorInfo, "retryable"> & Partial<Pick<ErrorInfo, "retryable">>,
  toolName?: string,
): ToolError {
  const { type, message, code, hint, retryable, details } = info;
  const options: ToolErrorOptions = {
    code,
    ...(retryable !== undefined && { retryable }),
    ...(hint !== undefined && { hint }),
    ...(details !== undefined && { details }),
    ...(toolName !== undefined && { toolName }),
  };
  const Type = isErrorType(type) ? byType[type] : ToolExecutionError;
  // The message of a missing tool is made of its name.
  if (Type === ToolNotFoundError)
    return new ToolNotFoundError(toolName ?? /"([^"]*)"/.exec(message)?.[1] ?? "", options);
  return new Type(message, options);
}

/** An error that came without its class, as an instance of the class that carries its code. */
export function toolErrorByCode({
  code,
  message,
  hint,
}: {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}): ToolError {
  const type = Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode].type : "ToolError";
  return toolErrorFrom({ type, code, message, ...(hint !== undefined && { hint }) });
}
