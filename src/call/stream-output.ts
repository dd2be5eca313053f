import { setImmediate as nextTurn } from "node:timers/promises";
import type { ToolProgress } from "../contract/tool.js";
import { announce } from "./announce.js";
import type { Call } from "./call.js";

type Steps = AsyncIterator<ToolProgress | string, unknown, void>;

/** Steps after which the event loop gets its turn: a generator that never waits would starve even its own time limit. */
const stepsPerTurn = 256;

/** Whether a tool answered with a generator that reports while it runs. */
export function isGenerator(value: unknown): value is Steps {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof (value as { next?: unknown }).next === "function"
  );
}

/**
 * Pass on what the generator yields; its return value is the tool's result. When the call
 * stops the generator is told so at once, and this settles only when it is still.
 */
export async function drain(call: Call, generator: Steps): Promise<unknown> {
  let closing: Promise<unknown> | undefined;
  const close = (): Promise<unknown> => (closing ??= closed(generator));
  const forget = call.onAbort(() => void close());
  try {
    for (let count = 1; ; count++) {
      const step = await generator.next();
      if (call.aborted !== undefined) throw call.aborted;
      if (step.done === true) return step.value;
      report(call, step.value);
      if (count % stepsPerTurn === 0) await nextTurn();
    }
  } catch (thrown) {
    await close();
    throw thrown;
  } finally {
    forget();
  }
}

/** End a generator; how its own clean-up fares is nobody's business any more. */
async function closed(generator: Steps): Promise<void> {
  try {
    await generator.return?.();
  } catch {
    // The call has its error already.
  }
}

/** Send progress to whoever listens, the stream of this call and the event bus; what comes after the answer is dropped. */
export function report(call: Call, value: ToolProgress | string): void {
  if (call.ended || call.aborted !== undefined) return;
  const progress = typeof value === "string" ? { output: value } : pick(value);
  announce(call, "TOOL_CALL_PROGRESS", () => call.parts.redact(progress));
}

/** Only the known fields leave, whatever else the tool put there. */
function pick(value: unknown): ToolProgress {
  if (typeof value !== "object" || value === null) return { message: String(value) };
  const { message, output, progress, total } = value as ToolProgress;
  return {
    ...(typeof message === "string" && { message }),
    ...(typeof output === "string" && { output }),
    ...(typeof progress === "number" && { progress }),
    ...(typeof total === "number" && { total }),
  };
}
