import {
  ToolCancelledError,
  ToolError,
  ToolExecutionError,
  ToolPermissionError,
  ToolTimeoutError,
  ToolUnavailableError,
} from "../../contract/errors.js";

/** The guard said no: the rule and the host are named, what the host resolved to is not. */
export function refused(host: string, reason: string, hint: string): ToolPermissionError {
  return new ToolPermissionError(`the request to ${host} is refused: ${reason}.`, {
    code: "NETWORK_REFUSED",
    hint,
    details: { host },
  });
}

/** The deadline over the whole request has passed. */
export function outOfTime(host: string, timeoutMs: number): ToolTimeoutError {
  return new ToolTimeoutError(`The request to ${host} did not finish within ${timeoutMs} ms.`, {
    hint: "Try again later, ask for less, or raise network.timeoutMs.",
    details: { host, timeoutMs },
  });
}

/** Requests are over because the client was closed. */
export function clientClosed(): ToolUnavailableError {
  return new ToolUnavailableError("The HTTP client is closed.", {
    code: "RUNTIME_CLOSED",
    retryable: false,
    hint: "Create a new Tenon instance.",
  });
}

/** The caller's signal fired: its own reason, if that is an error of a tool. */
export function cancelled(reason: unknown): ToolError {
  if (reason instanceof ToolError) return reason;
  return new ToolCancelledError("The request was cancelled.");
}

/** The request was sent and the connection failed. */
export function failed(host: string, what: string, options: FailureOptions = {}): ToolExecutionError {
  const { retryable = false, hint, ...rest } = options;
  return new ToolExecutionError(`The request to ${host} failed: ${what}.`, {
    code: "NETWORK_FAILED",
    retryable,
    hint: hint ?? (retryable ? "Try again later." : "Check the address."),
    details: { host, ...(rest.reason !== undefined && { reason: rest.reason }) },
    ...(rest.cause !== undefined && { cause: rest.cause }),
  });
}

interface FailureOptions {
  readonly retryable?: boolean;
  readonly hint?: string;
  readonly reason?: string;
  readonly cause?: unknown;
}

/** Turn whatever broke a request into an error that says it without addresses. */
export function toFailure(error: unknown, host: string): ToolError {
  // Requests that wait for one connection share its error; each gets a copy that it may label.
  if (error instanceof ToolPermissionError) return copyOf(error);
  if (error instanceof ToolError) return error;
  const code = codeOf(error);
  if (code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED") return clientClosed();
  const known = temporary[code];
  if (known !== undefined) return failed(host, known, { retryable: true, reason: code, cause: error });
  return failed(host, lasting(code), { hint: hintFor(code), reason: code, cause: error });
}

function copyOf(error: ToolPermissionError): ToolPermissionError {
  return new ToolPermissionError(error.message, {
    code: error.code,
    retryable: error.retryable,
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(error.details !== undefined && { details: error.details }),
  });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === "string") return code;
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first === undefined ? "UNKNOWN" : codeOf(first);
}

const temporary: Readonly<Record<string, string>> = {
  EAI_AGAIN: "the name could not be resolved at the moment",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed unexpectedly",
  ECONNABORTED: "the connection was closed unexpectedly",
  EPIPE: "the connection was closed unexpectedly",
  UND_ERR_SOCKET: "the connection was closed unexpectedly",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  ENETDOWN: "the network is down",
  ENETUNREACH: "the network cannot be reached",
  EHOSTUNREACH: "the host cannot be reached",
  EMFILE: "too many connections are open",
};

function lasting(code: string): string {
  if (code === "ENOTFOUND") return "the name does not exist";
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "HPE_HEADER_OVERFLOW")
    return "the headers are too large";
  if (code.startsWith("HPE_")) return "the answer is not valid HTTP";
  if (isTls(code)) return `the TLS connection cannot be trusted (${code})`;
  if (
    code.startsWith("Z_") ||
    code.includes("BROTLI") ||
    code.startsWith("ERR_ZLIB") ||
    code.startsWith("ERR__ERROR")
  ) {
    return "the body is damaged: it does not decompress";
  }
  return code === "UNKNOWN" ? "the reason is not known" : `it ended with ${code}`;
}

function isTls(code: string): boolean {
  return /^(ERR_TLS|ERR_SSL|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|HOSTNAME_MISMATCH|EPROTO)/.test(
    code,
  );
}

function hintFor(code: string): string {
  if (code === "ENOTFOUND") return "Check the spelling of the host.";
  if (isTls(code))
    return "Check the address; its certificate is for another name, has expired, or is from an unknown authority.";
  return "The problem is on the server; repeating the request unchanged is unlikely to help.";
}
