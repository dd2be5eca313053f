import { errnoOf } from "../../contract/errno.js";
import {
  ToolCancelledError,
  ToolError,
  ToolExecutionError,
  ToolResourceNotFoundError,
  ToolSecurityError,
  ToolValidationError,
} from "../../contract/errors.js";
import type { PathRefusal } from "./path-verdict.js";

/** The path as the caller wrote it, quoted on one line and shortened. */
export function quotePath(path: unknown): string {
  const text = typeof path === "string" ? path : `(${typeof path})`;
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 197)}...` : text);
}

function refusalText(path: unknown, refusal: PathRefusal): string {
  return `${quotePath(path)} ${refusal.reason}.`;
}

export function pathRefused(path: unknown, refusal: PathRefusal): ToolSecurityError {
  return new ToolSecurityError(`Access denied: ${refusalText(path, refusal)}`, {
    code: refusal.code,
    hint: refusal.rule === "allowedPaths" ? narrowedHint : REFUSAL_HINTS[refusal.code],
    details: { rule: refusal.rule },
  });
}

const narrowedHint = "Use a path inside the allowed ones, or ask a person to add this one to allowedPaths.";

const REFUSAL_HINTS: Record<PathRefusal["code"], string> = {
  PATH_TRAVERSAL: "Use a path inside the workspace.",
  PATH_OUTSIDE: "Use a path inside the workspace, or ask a person to add it to allowedPaths.",
  PATH_FORBIDDEN: "Use another file, or ask a person to change the rule.",
  PATH_SYMLINK: "Use the real path of a file inside the workspace.",
  PATH_INVALID: "Use a plain path to a regular file or directory.",
};

/** The error for a path that is neither a regular file nor a directory. */
export function notRegularFile(path: string): ToolSecurityError {
  const reason = "is neither a regular file nor a directory (a device, FIFO or socket)";
  return pathRefused(path, { allowed: false, code: "PATH_INVALID", rule: "type", reason });
}

/** The error for a path where nothing exists. */
export function fileNotFound(path: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(`File not found: ${quotePath(path)}.`, {
    hint: "Check the path; list the directory to see what exists.",
  });
}

/** The error for a state of the disk that contradicts the call. */
export function fileConflict(path: string, what: string): ToolExecutionError {
  return new ToolExecutionError(`${quotePath(path)} ${what}.`, {
    code: "FILE_CONFLICT",
    hint: "Check the current state and decide again.",
  });
}

/** The error for a path that was changed while it was opened. */
export function pathChanged(path: string): ToolExecutionError {
  return new ToolExecutionError(`${quotePath(path)} was moved or replaced while it was opened.`, {
    code: "FILE_CONFLICT",
    retryable: true,
    hint: "Another process is changing it; try again when that has finished.",
  });
}

/** The error for more bytes than `maxFileSize` allows. */
export function fileTooLarge(path: string, limit: number): ToolValidationError {
  return new ToolValidationError(`${quotePath(path)} is larger than the limit of ${limit} bytes.`, {
    code: "FILE_TOO_LARGE",
    hint: "Read a range of it, or raise maxFileSize.",
    details: { maxFileSize: limit },
  });
}

/** The error for an operation that the operating system refused, by its error code. */
export function systemFailure(path: string, code: string): ToolError {
  if (code === "ENOENT") return fileNotFound(path);
  if (code === "ENAMETOOLONG") return invalidPath(path, "is too long for the file system", "PATH_INVALID");
  if (code === "ELOOP") return invalidPath(path, "leads in a circle through symbolic links", "PATH_SYMLINK");
  if (code === "ESTALE") return pathChanged(path);
  const clash = ERRNO_CONFLICTS[code];
  if (clash !== undefined) return fileConflict(path, clash);
  return new ToolExecutionError(
    `Cannot use ${quotePath(path)}: ${ERRNO_REASONS[code] ?? "the system refused"} (${code}).`,
    {
      code: "FILE_IO",
      retryable: TRANSIENT_ERRNOS.has(code),
      details: { errno: code },
      ...(ERRNO_HINTS[code] !== undefined && { hint: ERRNO_HINTS[code] }),
    },
  );
}

/** Run a step and turn the system's errors into tool errors that name the caller's path. */
export function withPath<Value>(path: string, step: () => Value): Value {
  try {
    return step();
  } catch (error) {
    throw toToolError(error, path);
  }
}

/** The same for an asynchronous step. */
export async function withPathAsync<Value>(path: string, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (error) {
    throw toToolError(error, path);
  }
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ToolCancelledError();
}

/** A system's error as a tool error that names the caller's path; others stay as they are. */
export function toToolError(error: unknown, path: string): unknown {
  if (error instanceof ToolError) return error;
  const code = errnoOf(error);
  // The system's own message is left out: it names descriptors and real paths.
  return code === undefined ? error : systemFailure(path, code);
}

function invalidPath(path: string, reason: string, code: PathRefusal["code"]): ToolSecurityError {
  return pathRefused(path, { allowed: false, code, rule: "path", reason });
}

const ERRNO_CONFLICTS: Readonly<Record<string, string | undefined>> = {
  EEXIST: "already exists",
  ENOTEMPTY: "is a directory that is not empty",
  EBUSY: "is in use by the system",
  EINVAL: "cannot be moved there (a directory cannot be moved into itself)",
};

const ERRNO_REASONS: Readonly<Record<string, string | undefined>> = {
  EACCES: "permission denied",
  EPERM: "the system does not permit it",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is exceeded",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open in the system",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "it is a directory",
  EIO: "the device reported an error",
  EFBIG: "the file would be too large for the system",
  ETXTBSY: "the program is running",
  EXDEV: "it is on another file system",
  EMLINK: "it has too many links",
};

const ERRNO_HINTS: Readonly<Record<string, string | undefined>> = {
  EACCES: "Ask a person to change its permissions, or use another file.",
  EPERM: "Ask a person to change its permissions or attributes, or use another file.",
  ENOSPC: "Free some space and try again.",
  EMFILE: "Wait for running calls to finish and try again.",
  ENOTDIR: "Check the path: one of its parts is a file.",
  EISDIR: "Name a file, or use a directory operation.",
};

const TRANSIENT_ERRNOS = new Set(["EMFILE", "ENFILE", "EAGAIN", "EINTR", "ENOMEM"]);
