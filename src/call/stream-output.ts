import type { ToolProgress } from "../contract/tool.js";
import { announce } from "./announce.js";
import type { Call } from "./call.js";

type Generator = AsyncGenerator<ToolProgress | string, unknown, void>;

/** Whether a tool answered with a generator that reports while it runs. */
export function isGenerator(value: unknown): value is Generator {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof (value as { next?: unknown }).next === "function"
  );
}

/** Pass on what the generator yields; its return value is the tool's result. */
export async function drain(call: Call, generator: Generator): Promise<unknown> {
  try {
    for (;;) {
      const step = await call.race(generator.next());
      if (step.done === true) return step.value;
      report(call, step.value);
    }
  } catch (thrown) {
    // The generator may hang in its own clean-up: it is told, not waited for, and its late failure is nobody's.
    generator.return(undefined).catch(() => undefined);
    throw thrown;
  }
}

/** Send progress to whoever listens: the stream of this call and the event bus. */
export function report(call: Call, value: ToolProgress | string): void {
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
