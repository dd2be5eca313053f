/** The error code of the operating system, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** What `act` returns, or `undefined` if it fails with one of these system errors. Other errors are thrown. */
export function ignoring<Value>(codes: string | readonly string[], act: () => Value): Value | undefined {
  try {
    return act();
  } catch (error) {
    if (([] as readonly unknown[]).concat(codes).includes(errnoOf(error))) return undefined;
    throw error;
  }
}

/** What `act` returns, or `undefined` if it throws: for reads whose failure means that there is nothing to use. */
export function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
