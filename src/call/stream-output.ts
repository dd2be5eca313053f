import { isRecord } from "../contract/is-record.js";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolProgress } from "../contract/tool.js";
import { isToolResult } from "../contract/tool-result.js";
import { announce } from "./record.js";
import type { ReceivedCall } from "./receive.js";

/** The return value of a tool that reports progress while it runs. */
export type Generator = AsyncIterator<ToolProgress | string, unknown, void>;

/** Steps after which the event loop gets its turn: a generator that never waits would starve even its own time limit. */
const stepsPerTurn = 256;

/**
 * Pass on what the generator yields; its return value is the tool's result, or, where it returns nothing, the last
 * `{ success, data }` that it yielded. When the call stops, the generator is ended, and this settles only when that
 * is done.
 */
export async function drain(call: ReceivedCall, generator: Generator): Promise<unknown> {
  const { state } = call;
  let closing: Promise<unknown> | undefined;
  let yielded: unknown;
  const close = (): Promise<unknown> => (closing ??= endGenerator(generator));
  const forget = state.onAbort(() => void close());
  try {
    for (let count = 1; ; count++) {
      const step = await generator.next();
      if (state.aborted !== undefined) throw state.aborted;
      if (step.done === true) return step.value ?? yielded;
      if (isToolResult(step.value)) yielded = step.value;
      else report(call, step.value);
      if (count % stepsPerTurn === 0) await nextTurn();
    }
  } catch (thrown) {
    await close();
    throw thrown;
  } finally {
    forget();
  }
}

/** End a generator; errors of its own clean-up are ignored. */
async function endGenerator(generator: Generator): Promise<void> {
  try {
    await generator.return?.();
  } catch {
    // The call has failed already, and that error is the one to report.
  }
}

/** Send progress to the stream of this call and the event bus; what comes after the answer is dropped. */
export function report(call: ReceivedCall, value: ToolProgress | string): void {
  const { state } = call;
  if (state.ended || state.aborted !== undefined) return;
  const progress = typeof value === "string" ? { output: value } : toProgress(value);
  announce(call, "TOOL_CALL_PROGRESS", () => state.parts.redact(progress));
}

/** Only the known fields, each of the right type. */
function toProgress(value: unknown): ToolProgress {
  if (typeof value !== "object" || value === null) return { message: String(value) };
  const { message, output, progress, total, meta, more } = value as ToolProgress;
  return {
    ...(typeof message === "string" && { message }),
    ...(typeof output === "string" && { output }),
    ...(typeof progress === "number" && { progress }),
    ...(typeof total === "number" && { total }),
    ...(isRecord(meta) && { meta }),
    ...(isRecord(more) && { more }),
  };
}
