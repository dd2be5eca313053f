import { errorCodes, type ErrorCode } from "../contract/error-codes.js";
import { ToolError } from "../contract/errors.js";
import type { ApiError } from "./api.js";

/** A failure that has its HTTP status. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: ApiError;
  /** Seconds after which it is worth to try again. */
  readonly retryAfter: number | undefined;
  /** What OAuth calls it (RFC 6750), such as "invalid_token". */
  readonly oauthError: string | undefined;

  constructor(
    status: number,
    error: ApiError["error"],
    { retryAfter, oauthError, cause }: HttpErrorOptions = {},
  ) {
    super(error.message, { cause });
    this.status = status;
    this.body = { error };
    this.retryAfter = retryAfter;
    this.oauthError = oauthError;
  }

  override get name(): string {
    return "ApiFault";
  }
}

interface HttpErrorOptions {
  readonly retryAfter?: number | undefined;
  readonly oauthError?: string | undefined;
  /** For the server's own log; clients do not see it. */
  readonly cause?: unknown;
}

/** Convert anything that was thrown to the failure that the client sees. */
export function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (thrown instanceof ToolError) {
    const { code, message, hint } = thrown;
    return new HttpError(statusOf(thrown), { code, message, ...(hint !== undefined && { hint }) });
  }
  // The message of an unexpected error is not sent: it may name paths or secrets.
  return new HttpError(500, {
    code: "INTERNAL",
    message: "An internal error occurred in Tenon.",
    hint: "See the log of `tenon serve` for details.",
  });
}

/** The named thing does not exist, or not for this caller. */
export function notFound(what: string): HttpError {
  return new HttpError(404, { code: "NOT_FOUND", message: `${what} not found.` });
}

/** An error that another process reported has the right code, but only the general class. */
function statusOf({ code, name }: ToolError): number {
  if (code === "FILE_CONFLICT") return 409;
  const isKnown = name === "ToolError" && Object.hasOwn(errorCodes, code);
  return statuses[isKnown ? errorCodes[code as ErrorCode].type : name] ?? 500;
}

const statuses: Readonly<Record<string, number>> = {
  ToolNotFoundError: 404,
  ToolResourceNotFoundError: 404,
  ToolValidationError: 400,
  ToolDefinitionError: 400,
  ToolPermissionError: 403,
  ToolSecurityError: 403,
  ToolUnavailableError: 503,
  ToolTimeoutError: 504,
  ToolCancelledError: 409,
};
