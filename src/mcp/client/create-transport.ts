import type { Transport } from "@modelcontextprotocol/client";
import type { UpstreamSpec } from "../../contract/ports/upstream.js";
import type { McpSdk } from "./load-sdk.js";
import type { ServerOptions } from "./server-options.js";
import { ProgramTransport } from "./program-transport.js";
import { watchAnswers, type OpenRequests } from "./watch-answers.js";

/** The way to a server: the streams of a program, or HTTP to an address. */
export function createTransport(
  sdk: McpSdk,
  spec: UpstreamSpec,
  options: ServerOptions & { readonly open: OpenRequests },
): Transport {
  const { maxMessageBytes = 32 * 1024 * 1024, authProvider } = options;
  if (spec.kind === "program") {
    return new ProgramTransport(spec, {
      maxMessageBytes,
      confine: options.confine,
      onFault: (message) => options.onFault?.(message),
      onLog: (line) => options.onLog?.(line),
    });
  }
  const common = {
    fetch: watchAnswers(options.fetch ?? fetch, {
      limit: maxMessageBytes,
      open: options.open,
      onBroken: (answer) => transport.onmessage?.(answer),
    }),
    requestInit: { headers: { ...spec.headers } },
    ...(authProvider !== undefined && { authProvider }),
  };
  const url = new URL(spec.url);
  const transport: Transport =
    spec.transport === "sse"
      ? new sdk.SSEClientTransport(url, common)
      : new sdk.StreamableHTTPClientTransport(url, common);
  return transport;
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
