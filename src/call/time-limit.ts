import { ToolTimeoutError } from "../contract/errors.js";
import type { ValidatedCall } from "./validate.js";

/** For a tool that keeps its own time limit: how long it may take before its work starts. */
const aheadMs = 30_000;

/** Start the call's time limit: the caller's, or else the tool's. */
export function startClock(call: ValidatedCall): void {
  const limitMs = call.received.timeoutMs ?? call.settings.timeoutMs;
  if (limitMs !== null) runClock(call, limitMs);
}

/** Wait for the tool's own code that runs ahead of its work: no longer than its work may take, and only until the call must stop. */
export async function waitAhead<T>(call: ValidatedCall, step: T | PromiseLike<T>): Promise<T> {
  runClock(call, call.received.timeoutMs ?? call.settings.timeoutMs ?? aheadMs);
  try {
    return await call.state.race(Promise.resolve(step));
  } finally {
    call.state.stopClock();
  }
}

function runClock({ state, entry: { name } }: ValidatedCall, limitMs: number): void {
  state.startClock(limitMs, () => {
    state.abort(
      new ToolTimeoutError(`"${name}" exceeded its time limit of ${limitMs} ms and was stopped.`, {
        toolName: name,
        hint: "Do less in one call, or pass a larger timeoutMs.",
        details: { timeoutMs: limitMs },
      }),
    );
  });
}
