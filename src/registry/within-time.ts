/** Run a step of a tool's life, bounded in time; whatever it throws or rejects with becomes a rejection. */
export async function withinTime<Value>(
  step: () => Value | Promise<Value>,
  limitMs: number,
  what: string,
): Promise<Value> {
  // A longer timer would fire at once.
  const longest = 2 ** 31 - 1;
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} took longer than ${limitMs} ms`)),
      Math.min(limitMs, longest),
    );
  });
  try {
    // Should the step lose the race, the race still handles its late rejection.
    return await Promise.race([(async () => await step())(), expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** What was thrown, in words, whatever it is. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "something that cannot be shown";
  }
}
