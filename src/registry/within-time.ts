/** Run `init`, `dispose` or a health check with a time limit; whatever it throws becomes a rejection. */
export async function withinTime<Value>(
  step: () => Value | Promise<Value>,
  limitMs: number,
  what: string,
): Promise<Value> {
  // A longer timer would fire immediately.
  const maxTimerMs = 2 ** 31 - 1;
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} took longer than ${limitMs} ms`)),
      Math.min(limitMs, maxTimerMs),
    );
  });
  try {
    // If the step loses the race, its late rejection is still handled.
    return await Promise.race([(async () => await step())(), expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** The message of anything that was thrown. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "an error without a readable message";
  }
}
