/** Shorter results are written again faster than they are found. */
const minChars = 1024;
const texts = new WeakMap<object, string>();

/** Note the JSON text of a result, so that the log and an MCP host need not write it twice. */
export function keepResultText(result: unknown, text: string): void {
  if (text.length >= minChars && typeof result === "object" && result !== null) texts.set(result, text);
}

/** The JSON text of this very result, if it was noted. */
export function resultTextOf(result: unknown): string | undefined {
  return typeof result === "object" && result !== null ? texts.get(result) : undefined;
}
