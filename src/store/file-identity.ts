import { statSync } from "node:fs";
import { ToolUnavailableError } from "../contract/errors.js";

/** Which file a path names now; `undefined` where there is none. */
export function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** SQLite goes on writing to a file that was deleted or replaced under it, where nobody ever finds the rows. */
export function refuseLost({ file, identity }: { file: string; identity: string | undefined }): void {
  if (identity === undefined || identityOf(file) === identity) return;
  throw new ToolUnavailableError(`The state ${file} was removed or replaced while it was open.`, {
    code: "STATE_UNAVAILABLE",
    hint: "Put it back, or start Tenon again. Nothing was changed.",
    retryable: false,
  });
}
