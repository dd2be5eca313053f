import { ToolExecutionError } from "../../contract/errors.js";
import { messageOf } from "../../contract/message-of.js";

/** Not all of a failed change could be taken back. */
export function takenBackInPart(error: unknown, problems: readonly string[]): ToolExecutionError {
  const left = problems.slice(0, maxNamed).join("; ");
  return new ToolExecutionError(
    `The change failed (${messageOf(error)}), and not all of it could be reverted: ${left}.`,
    { code: "CALL_INTERRUPTED", hint: "Check the files before you make the call again." },
  );
}

const maxNamed = 3;

/** It is unknown here whether the change was made, so it must not be reported as not made. */
export function leftToOthers(cause: unknown): ToolExecutionError {
  return new ToolExecutionError(
    `The change was interrupted: ${messageOf(cause)} The next process that uses the workspace completes or reverts it.`,
    // Without the cause: an error of the disk in it must not make this look like a change that was abandoned.
    { code: "CALL_INTERRUPTED", hint: "Check the files before you make the call again." },
  );
}
