/** Why a command ended. */
export type EndReason = "exit" | "timeout" | "cancelled" | "flooded" | "exceeded";

/** The limits that end a command. */
export interface RunLimits {
  /** Settles when the first limit is reached. */
  readonly reached: Promise<EndReason>;
  reach(why: EndReason): void;
  /** A limit on disk or processes is exceeded; `limit` says which in words. */
  exceedTreeLimit(limit: string): void;
  exceededTreeLimit(): string | undefined;
  clear(): void;
}

const maxTimerMs = 2 ** 31 - 1;

/** Watch the time limit and the signal of a call. */
export function createRunLimits(signal: AbortSignal, timeoutMs: number): RunLimits {
  let reach: (why: EndReason) => void = () => {};
  let treeLimit: string | undefined;
  const reached = new Promise<EndReason>((resolve) => {
    reach = resolve;
  });
  const cancel = (): void => reach("cancelled");
  // setTimeout fires at once for NaN and for values above its maximum.
  const limit = timeoutMs < maxTimerMs ? Math.max(1, timeoutMs) : maxTimerMs;
  const timer = setTimeout(() => reach("timeout"), limit);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  return {
    reached,
    reach: (why) => reach(why),
    exceedTreeLimit(limit) {
      treeLimit ??= limit;
      reach("exceeded");
    },
    exceededTreeLimit: () => treeLimit,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    },
  };
}
