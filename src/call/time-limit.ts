import { ToolTimeoutError } from "../contract/errors.js";
import type { ResolvedCall } from "./call.js";

/** For a tool that keeps its own time limit: how long what it does before its work may take. */
const aheadMs = 30_000;

/** Let the call's time limit run: the caller's, else the tool's. */
export function startClock(call: ResolvedCall): void {
  const limit = call.requestedTimeoutMs ?? call.settings.timeoutMs;
  if (limit !== null) runClock(call, limit);
}

/** Wait for the tool's own code that runs ahead of its work; no longer than its work may take, and not once the call must stop. */
export async function waitAhead<T>(call: ResolvedCall, step: T | PromiseLike<T>): Promise<T> {
  runClock(call, call.requestedTimeoutMs ?? call.settings.timeoutMs ?? aheadMs);
  try {
    return await call.race(Promise.resolve(step));
  } finally {
    call.stopClock();
  }
}

function runClock(call: ResolvedCall, limit: number): void {
  call.startClock(limit, () => {
    call.abort(
      new ToolTimeoutError(`"${call.entry.name}" ran past its time limit of ${limit} ms and was stopped.`, {
        toolName: call.entry.name,
        hint: "Do less in one call, or pass a larger timeoutMs.",
        details: { timeoutMs: limit },
      }),
    );
  });
}
