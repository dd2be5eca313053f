import { ToolCancelledError, ToolTimeoutError } from "../../contract/errors.js";

interface Limits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The time that a start may take. */
export interface StartLimit {
  readonly signal: AbortSignal;
  race<T>(work: Promise<T>): Promise<T>;
  clear(): void;
}

/** The start always ends in time; a connection that is made too late is closed by its own abort. */
export function startLimit({ timeoutMs, signal }: Limits): StartLimit {
  const limit = new AbortController();
  const onAbort = (): void =>
    limit.abort(signal?.reason instanceof Error ? signal.reason : new ToolCancelledError());
  const timer = setTimeout(
    () =>
      limit.abort(
        new ToolTimeoutError(
          `The server did not answer within ${timeoutMs} ms. If it needs longer to start, set startTimeoutMs to more`,
        ),
      ),
    timeoutMs,
  );
  if (signal?.aborted === true) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const stopped = new Promise<never>((_, reject) => {
    if (limit.signal.aborted) reject(limit.signal.reason as Error);
    limit.signal.addEventListener("abort", () => reject(limit.signal.reason as Error), { once: true });
  });
  stopped.catch(() => {});
  return {
    signal: limit.signal,
    race: async (work) => {
      work.catch(() => {});
      return Promise.race([work, stopped]);
    },
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
