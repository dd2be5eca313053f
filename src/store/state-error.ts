import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "../contract/errno.js";
import {
  ToolError,
  ToolExecutionError,
  ToolInternalError,
  ToolUnavailableError,
} from "../contract/errors.js";
import { toFileProblem } from "../contract/file-problem.js";

/** SQLite's primary result codes that Tenon tells apart. */
const sqliteCode = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  notADatabase: 26,
};

/** The primary result code of an error that SQLite raised, also behind one of ours, or `undefined`. */
function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof ToolError) return sqliteCodeOf(error.cause);
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** Whether an error says that the file is damaged or no database at all. */
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === sqliteCode.corrupt || code === sqliteCode.notADatabase;
}

/** Whether another connection is in the way, for now. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === sqliteCode.busy || code === sqliteCode.locked;
}

/** Turn an error of SQLite or the disk into one with a hint. */
export function toStateError(error: unknown, file: string): ToolError {
  if (error instanceof ToolError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isCorrupt(error)) return corruptError(file, message, error);
  if (isBusy(error)) {
    return new ToolUnavailableError(`The state ${file} is busy: ${message}.`, {
      code: "STATE_BUSY",
      hint: "Another process is writing to it; try again.",
      cause: error,
    });
  }
  if (isDiskFull(error, file)) {
    return new ToolExecutionError(`No space left for the state ${file}.`, {
      code: "FILE_IO",
      hint: "Free some disk space and call again; nothing was changed.",
      retryable: true,
      cause: error,
    });
  }
  return new ToolUnavailableError(`The state ${file} cannot be used: ${toFileProblem(error)}.`, {
    code: "STATE_UNAVAILABLE",
    hint: "Check that the state directory exists, belongs to you and can be written.",
    cause: error,
  });
}

/** SQLite calls it an I/O error if there is no room for the files beside the database. */
function isDiskFull(error: unknown, file: string): boolean {
  const code = sqliteCodeOf(error);
  if (code === sqliteCode.full || errnoOf(error) === "ENOSPC") return true;
  return code === sqliteCode.io && roomAt(dirname(file)) < smallestRoom;
}

/** SQLite maps at least this much beside a database, in bytes. */
const smallestRoom = 64 * 1024;

function roomAt(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY; // not known: the error stays what SQLite says
  }
}

export function corruptError(file: string, what: string, cause?: unknown): ToolInternalError {
  return new ToolInternalError(`The state ${file} is damaged: ${what}.`, {
    code: "STATE_CORRUPT",
    hint: "Start Tenon again: a database that cannot be read is set aside under another name.",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The state was closed before. */
export function closedError(): ToolUnavailableError {
  return new ToolUnavailableError("The state is closed.", {
    code: "RUNTIME_CLOSED",
    hint: "Open it again.",
    retryable: false,
  });
}

/** A transaction's handle was kept beyond its end. */
export function overError(): ToolInternalError {
  return new ToolInternalError("A transaction was used after its end.", {
    code: "INTERNAL",
    hint: "Await every statement inside the transaction's work.",
  });
}
