/** Why an address cannot be reached, in the system's words; fetch itself only says that it failed. */
export function unreachable(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.message !== "fetch failed") return unreachable(error.cause);
  const { cause } = error;
  // A name with several addresses fails once for each.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return `it cannot be reached: ${first instanceof Error ? first.message : "the connection failed"}`;
}
