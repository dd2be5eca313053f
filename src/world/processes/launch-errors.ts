import {
  ToolExecutionError,
  ToolResourceNotFoundError,
  ToolUnavailableError,
} from "../../contract/errors.js";

/** The working directory of a command does not exist or cannot be entered. */
export function missingFolder(cwd: string): ToolResourceNotFoundError {
  return new ToolResourceNotFoundError(
    `The folder "${cwd}" for the command was not found or cannot be entered.`,
    {
      hint: "Pass a cwd that exists, or leave it out to start in the workspace.",
    },
  );
}

/** The helper exited before it started the command. */
export class HelperLostError extends ToolExecutionError {
  constructor() {
    super("The process that starts commands ended before the command had started.", {
      hint: "Call again: it is restarted automatically.",
    });
  }
}

/** A caller that passes less has most likely meant seconds: starting a process alone may take that long. */
const shortestUsefulMs = 200;

/** The start took too long and was given up; if the command starts later, it is stopped. */
export function startTimedOut(ms: number): ToolUnavailableError {
  return new ToolUnavailableError(`The system did not start the command within ${Math.round(ms)} ms.`, {
    code: "SERVICE_UNAVAILABLE",
    retryable: true,
    hint:
      ms < shortestUsefulMs
        ? `Time limits are in milliseconds: ${Math.round(ms) * 1000} is ${Math.round(ms)} seconds. Call again with a longer one.`
        : "The system may be out of processes (ulimit -u) or memory, or under heavy load. Stop something and call again.",
  });
}

/** The system refused to start a program. */
export function cannotStart(file: string, cause: unknown): ToolExecutionError {
  const { code, message } = Object(cause) as { code?: string; message?: string };
  const reason = (code !== undefined && reasons[code]) || message || String(cause);
  return new ToolExecutionError(`"${file}" could not be started: ${reason}.`, {
    cause,
    ...(code === "EMFILE" || code === "EAGAIN" ? { retryable: true } : {}),
    hint: "Check that the program exists and that the system can start another process.",
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "program not found",
  EACCES: "it may not be executed",
  E2BIG: "the command and its environment are too long for the system",
  EMFILE: "too many files are open",
  EAGAIN: "the system cannot start another process",
  ENOMEM: "there is not enough memory",
};

/** A command that must run on a layer could not, and was not started. */
export class NoLayerError extends ToolExecutionError {
  constructor() {
    super("The command was not started, because its changes could not be kept on a layer.", {
      code: "SANDBOX_UNAVAILABLE",
    });
  }
}

/** A command that changes the workspace directly is refused if its changes must be seen first. */
export function refuseWithoutLayer({ dryRun, contained, direct }: LayerDemand): void {
  if (dryRun === true) {
    const reason = direct ?? "commands run directly on the workspace";
    throw new ToolExecutionError(`The dry run was not started: ${reason}.`, {
      code: "SANDBOX_UNAVAILABLE",
      hint: "A dry run needs a layer that keeps changes apart from the workspace; run the command without dry_run.",
    });
  }
  if (contained === true) throw new NoLayerError();
}

interface LayerDemand {
  readonly dryRun?: boolean | undefined;
  readonly contained?: boolean | undefined;
  /** Why it runs directly. */
  readonly direct?: string | undefined;
}
