import { ToolExecutionError, ToolInternalError } from "../contract/errors.js";
import type { ValidatedCall } from "./call.js";
import { toToolError } from "./failure.js";
import { waitAhead } from "./time-limit.js";
import { claimResources } from "./validate.js";

/** Let a tool that runs elsewhere find out what it will touch; `undefined` where that is known for this input. */
export function prepare(call: ValidatedCall): Promise<void> | undefined {
  const asking = call.entry.tool.prepare?.(call.input);
  return asking === undefined ? undefined : claimAfter(call, asking);
}

async function claimAfter(call: ValidatedCall, asking: Promise<void>): Promise<void> {
  const { name } = call.entry;
  try {
    await waitAhead(call, asking);
  } catch (thrown) {
    const error = toToolError(thrown, name);
    // Wrong arguments or a tool that cannot be reached say so themselves.
    if (!(error instanceof ToolExecutionError)) throw error;
    throw new ToolInternalError(`"${name}" could not say what it will touch: ${error.message}`, {
      cause: thrown,
      hint: "The tool's resources() and shellLine() must not throw for valid input.",
    });
  }
  claimResources(call);
}
