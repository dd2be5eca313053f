import { ToolUnavailableError } from "../../contract/errors.js";

/** The name of a connection that only this session uses, or of one that is shared. */
export function keyWith(session: string | undefined, key: string): string {
  return session === undefined ? key : `${session} ${key}`;
}

export function tooMany(server: string, maxHosts: number): ToolUnavailableError {
  return new ToolUnavailableError(
    `The MCP server "${server}" is in use by ${maxHosts} hosts that each need an instance of their own.`,
    { code: "SERVER_UNAVAILABLE", hint: "Call again when one of them is done." },
  );
}

/** Others may wait for the same connection, so only this wait ends with the signal. */
export function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
