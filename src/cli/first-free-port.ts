/** What is tried when no port was chosen; another `tenon serve` often has the first. */
export const defaultPorts: readonly number[] = Array.from({ length: 20 }, (_, at) => 7420 + at);

/** Start on the first port that nobody else has. */
export async function onFirstFree<T>(
  [port = 0, ...others]: readonly number[],
  start: (port: number) => Promise<T>,
): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    const isTaken = (Object(error) as { cause?: { code?: unknown } }).cause?.code === "EADDRINUSE";
    if (!isTaken || others.length === 0) throw error;
    return onFirstFree(others, start);
  }
}
