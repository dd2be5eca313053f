import type { ToolProgress } from "./tool.js";

/** Whether `await` would wait for a value. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** Whether a tool returned a generator that reports progress while it runs. */
export function isGenerator(value: unknown): value is AsyncGenerator<ToolProgress | string, unknown, void> {
  return (
    typeof value === "object" &&
    value !== null &&
    Symbol.asyncIterator in value &&
    typeof (value as { next?: unknown }).next === "function"
  );
}
