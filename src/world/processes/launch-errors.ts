import {
  ToolExecutionError,
  ToolResourceNotFoundError,
  ToolUnavailableError,
} from "../../contract/errors.js";

/** The folder that a command should start in is not there or cannot be entered. */
export function missingFolder(cwd: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(
    `The folder "${cwd}" for the command was not found or cannot be entered.`,
    {
      hint: "Pass a cwd that exists, or leave it out to start in the workspace.",
    },
  );
}

/** Whoever should have started the command is gone; it was not started. */
export class HelperLostError extends ToolExecutionError {
  constructor() {
    super("The process that starts commands ended before the command had started.", {
      hint: "Call again: a new one is started by itself.",
    });
  }
}

/** The system did not get around to it: nothing was started, or it is ended when it comes. */
export function startTimedOut(ms: number): ToolUnavailableError {
  return new ToolUnavailableError(`The system did not start the command within ${Math.round(ms)} ms.`, {
    code: "SERVICE_UNAVAILABLE",
    retryable: true,
    hint: "It may have reached its limit on processes (ulimit -u) or memory, or be under heavy load. End something and call again.",
  });
}

/** The system refused to start a program. */
export function cannotStart(file: string, cause: unknown): ToolExecutionError {
  const { code, message } = Object(cause) as { code?: string; message?: string };
  const reason = (code !== undefined && reasons[code]) || message || String(cause);
  return new ToolExecutionError(`"${file}" could not be started: ${reason}.`, {
    cause,
    ...(code === "EMFILE" || code === "EAGAIN" ? { retryable: true } : {}),
    hint: "Check that the program is there and that the system has room for another process.",
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such program",
  EACCES: "it may not be executed",
  E2BIG: "the command and its environment are too long for the system",
  EMFILE: "too many files are open",
  EAGAIN: "the system has no room for another process",
  ENOMEM: "there is not enough memory",
};
