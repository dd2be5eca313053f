import type { Transport } from "@modelcontextprotocol/client";
import type { UpstreamSpec } from "../../contract/ports/upstream.js";
import { capFetch } from "./cap-fetch.js";
import type { McpSdk } from "./load-sdk.js";
import type { ServerOptions } from "./server-options.js";
import { ProgramTransport } from "./program-transport.js";

/** The way to a server: the streams of a program, or HTTP to an address. */
export function createTransport(sdk: McpSdk, spec: UpstreamSpec, options: ServerOptions): Transport {
  const { maxMessageBytes = 32 * 1024 * 1024, authProvider } = options;
  if (spec.kind === "program") {
    return new ProgramTransport(spec, {
      maxMessageBytes,
      onFault: (message) => options.onFault?.(message),
      onLog: (line) => options.onLog?.(line),
    });
  }
  const common = {
    fetch: capFetch(options.fetch ?? fetch, maxMessageBytes),
    requestInit: { headers: { ...spec.headers } },
    ...(authProvider !== undefined && { authProvider }),
  };
  const url = new URL(spec.url);
  if (spec.transport === "sse") return new sdk.SSEClientTransport(url, common);
  return new sdk.StreamableHTTPClientTransport(url, common);
}

/** A server that keeps sessions is told that this one is over. */
export async function endSession(transport: Transport): Promise<void> {
  if (!("terminateSession" in transport) || transport.sessionId === undefined) return;
  const end = transport.terminateSession as () => Promise<void>;
  // A server that is gone already, or does not care, must not keep us.
  await Promise.race([
    end.call(transport).catch(() => {}),
    new Promise((resolve) => setTimeout(resolve, 1000).unref()),
  ]);
}
