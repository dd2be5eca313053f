import {
  ToolError,
  ToolExecutionError,
  ToolUnavailableError,
  ToolValidationError,
} from "../contract/errors.js";
import { corruptError } from "./state-error.js";

/** Whether the connection went away under a query: the server was restarted, or the network broke. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined && (lostCodes.has(code) || code.startsWith("08"))) return true;
  return error instanceof Error && lostMessages.test(error.message);
}

const lostCodes = new Set(
  "57P01 57P02 57P03 57P05 25P03 ECONNRESET ECONNREFUSED ECONNABORTED EPIPE ENOTCONN ETIMEDOUT".split(" "),
);
const lostMessages =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|timeout e)/i;

/** Whether another transaction was in the way, so that the same one may work when it is run again. */
export function isCollision(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error) ?? "");
}

/** Whether the server has no connection to give, for now. */
export function isCrowded(error: unknown): boolean {
  return codeOf(error) === "53300";
}

/** Something was waited for too long: others are slow, or the server does not answer at all. */
export function timeoutError(name: string, answers: boolean): Error {
  if (!answers) return Object.assign(new Error("the server does not answer"), { code: "ETIMEDOUT" });
  return new ToolUnavailableError(`The state ${name} is busy: earlier calls did not finish in time.`, {
    code: "STATE_BUSY",
    hint: "Try again. If it keeps happening, check what slows the server down.",
  });
}

/** Whether a change was made cannot be told: the connection broke with the commit, and the server stayed away. */
export function unknownCommitError(name: string): ToolUnavailableError {
  return new ToolUnavailableError(
    `The connection to the state ${name} was lost while a change was committed: it is not known whether it was saved.`,
    {
      code: "STATE_UNAVAILABLE",
      hint: "When the server is back, check whether the change was saved before you call again.",
      retryable: false,
    },
  );
}

/** The server's word for what went wrong, or the system's. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/**
 * Turn an error of PostgreSQL or of the connection into one with a hint. The original error is not kept as the cause,
 * because the driver attaches data to it (the address, parameters) that may contain secrets.
 */
export function toPostgresError(error: unknown, name: string): ToolError {
  if (error instanceof ToolError) return error;
  const code = codeOf(error) ?? "";
  const reason = reasonOf(error);
  if (code === "XX001" || code === "XX002") return corruptError(name, reason);
  if (code === "22021") {
    return new ToolValidationError(
      "A text with a NUL character or an incomplete character cannot be stored.",
      {
        code: "VALUE_INVALID",
        hint: "Remove it.",
      },
    );
  }
  if (code === "53100") {
    return new ToolExecutionError(`No space left for the state ${name}.`, {
      code: "FILE_IO",
      hint: "Free some disk space on the server and call again; nothing was changed.",
      retryable: true,
    });
  }
  if (code === "55P03" || code === "53300") {
    return new ToolUnavailableError(`The state ${name} is busy: ${reason}.`, {
      code: "STATE_BUSY",
      hint:
        code === "53300"
          ? "Allow more connections on the server."
          : "Another process is writing to it; try again.",
    });
  }
  return new ToolUnavailableError(`The state ${name} cannot be used: ${reason}.`, {
    code: "STATE_UNAVAILABLE",
    hint: hintFor(code, error),
    retryable: isLost(error),
  });
}

function hintFor(code: string, error: unknown): string {
  const known = hints[code];
  if (known !== undefined) return known;
  if (isLost(error)) return "Check that the server runs and can be reached, and call again.";
  return 'Check "database" in the configuration and the server\'s log.';
}

const hints: Readonly<Record<string, string>> = {
  "28P01": 'Check the user and the password in "database".',
  "28000": 'Check the user in "database", and whom the server lets in (pg_hba.conf).',
  "3D000": 'Create the database, or name another one in "database".',
  "42501": "Let the user create schemas there: GRANT CREATE ON DATABASE … TO …",
  "25006": "This server is read-only (a standby): use the primary server.",
  ENOTFOUND: 'Check the host in "database".',
  EAI_AGAIN: 'Check the host in "database" and the name service.',
  ENOENT: 'Check the socket in "database"; the server may not be running.',
};

/** An attempt on several addresses fails with an empty message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\.$/, "") || codeOf(error) || "no reason given";
}
