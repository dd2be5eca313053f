import type { ToolProgress } from "../contract/tool.js";

interface Caller {
  call(input: unknown, ctx: unknown): unknown;
}

/**
 * Make an `execute` of a `call` that yields its result as its last value. Reports pass at once;
 * what `call` returns, if anything, goes before what it yielded.
 */
export function executeFromCall(tool: Caller): (input: unknown, ctx: unknown) => unknown {
  return (input, ctx) => {
    const running = tool.call(input, ctx);
    return isGenerator(running) ? relay(running) : running;
  };
}

async function* relay(
  running: AsyncIterator<unknown, unknown, void>,
): AsyncGenerator<ToolProgress | string, unknown, void> {
  let last: unknown;
  let ended = false;
  try {
    for (;;) {
      const step = await running.next();
      if (step.done === true) {
        ended = true;
        return step.value ?? resultIn(last);
      }
      last = step.value;
      if (isReport(last)) yield last;
    }
  } finally {
    // A consumer that stops reading stops the tool, too.
    if (!ended) await running.return?.();
  }
}

function isGenerator(value: unknown): value is AsyncIterator<unknown, unknown, void> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}

function isReport(value: unknown): value is ToolProgress | string {
  if (typeof value === "string") return true;
  if (typeof value !== "object" || value === null) return false;
  return "type" in value ? value.type === "progress" : "progress" in value || "message" in value;
}

function resultIn(last: unknown): unknown {
  const wrapped = typeof last === "object" && last !== null && "type" in last && last.type === "result";
  return wrapped && "data" in last ? last.data : last;
}
