import type { Readable, Writable } from "node:stream";
import type { HostSessionOptions, McpHost } from "../../contract/host.js";
import { serveHost } from "../../mcp/server/serve-host.js";
import { StdioDispatch } from "../../mcp/server/stdio-dispatch.js";
import { StdioTransport } from "../../mcp/server/stdio-transport.js";
import { checkKeys, type KeysOf } from "../../schema/check-keys.js";
import type { Tenon } from "../tenon.js";
import { createMcpHost } from "./create-mcp-host.js";

/** A stream of Node.js, as far as its type matters. */
export interface StdioStream {
  on(event: string, listener: (...args: never[]) => void): unknown;
}

/** Who connects, and over which streams. */
export interface ServeStdioOptions extends Pick<
  HostSessionOptions,
  "agent" | "exclude" | "id" | "include" | "toolset" | "userId"
> {
  /** A readable stream with the messages of the host. @default process.stdin */
  readonly input?: StdioStream | undefined;
  /** A writable stream for the answers. Nothing else may be written to it. @default process.stdout */
  readonly output?: StdioStream | undefined;
  /** Stops serving: running requests have a second to finish. */
  readonly signal?: AbortSignal | undefined;
  /** Called with errors that no answer can carry. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/**
 * Serve the tools of a Tenon to one MCP host over standard input and output. Resolves when the host is gone; closing
 * the Tenon is up to you.
 *
 * @example
 * const tenon = createTenon({ tools: [greet] });
 * await serveStdio(tenon, { toolset: "coding" });
 * await tenon.close();
 */
export async function serveStdio(served: Tenon | McpHost, options: ServeStdioOptions = {}): Promise<void> {
  checkKeys(options, optionNames, "serveStdio");
  const { input = process.stdin, output = process.stdout, signal, ...connection } = options;
  const transport = new StdioTransport({ input: input as Readable, output: output as Writable });
  const stop = (): void => transport.end(1000);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    const host = "openSession" in served ? served : createMcpHost(served);
    await serveHost(host, new StdioDispatch(transport), connection);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

const optionNames: KeysOf<ServeStdioOptions> = {
  agent: true,
  exclude: true,
  id: true,
  include: true,
  input: true,
  onError: true,
  output: true,
  signal: true,
  toolset: true,
  userId: true,
};
