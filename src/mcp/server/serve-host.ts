import type { McpRequestContext, Server, Transport } from "@modelcontextprotocol/server";
import type { HostTool, McpHost } from "../../contract/host.js";
import { metaOf } from "../../wire/json-rpc.js";
import type { ConnectionOptions } from "./connection.js";
import { createMcpServer } from "./create-mcp-server.js";
import { DirectCalls } from "./direct-calls.js";
import { isModernMeta } from "./plain-meta.js";
import type { StdioDispatch } from "./stdio-dispatch.js";

export interface ServeHostOptions extends ConnectionOptions {
  /** The tools that the host listed before the session existed, as JSON. */
  readonly listedTools?: (() => string | undefined) | undefined;
  /** Called with the session's tools when everything is ready. */
  readonly onReady?: ((tools: readonly HostTool[]) => void) | undefined;
}

/** Serve one host on a pair of streams. Resolves when the host is gone and its session is closed. */
export async function serveHost(
  host: McpHost,
  dispatch: StdioDispatch,
  options: ServeHostOptions = {},
): Promise<void> {
  const [sdk, stdio] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const { transport } = dispatch;
  const mcp = createMcpServer(sdk, host, { ...options, local: true });
  try {
    const calls = new DirectCalls(mcp.connection, transport);
    delete dispatch.handlers.ready;
    const followed = new Map<unknown, () => void>();
    dispatch.handlers.calls = (message) => {
      if (message.method === "subscriptions/listen") followed.set(message.id, mcp.connection.follow(message));
      else if (message.method === "notifications/cancelled") {
        const { requestId } = Object(message.params) as { requestId?: unknown };
        followed.get(requestId)?.();
        followed.delete(requestId);
      }
      return calls.handle(message);
    };
    // A host that has closed its input can no longer answer questions, though it may still read.
    transport.onInputEnd = () => void setTimeout(() => mcp.connection.lostAll(), 2000).unref();
    dispatch.accepts = (request) => sdk.isJSONRPCRequest(request);
    // Servers behind Tenon are started for the host, and the older ones hear only then what it declares.
    dispatch.onRequest = (request) => {
      const meta = metaOf(request);
      if (meta !== undefined && isModernMeta(meta)) mcp.connection.hear(meta);
    };
    let greet = (): void => {};
    const greeted = new Promise<void>((resolve) => (greet = resolve));
    const create = ({ era }: McpRequestContext): Server => {
      const server = mcp.createServer(true);
      mcp.connection.settle(era);
      if (era === "legacy") calls.attach(server);
      else calls.attachModern();
      setImmediate(greet); // by then the SDK knows what the host declared
      return server;
    };
    stdio.serveStdio(create, {
      transport: dispatch as Transport,
      ...(options.onError !== undefined && { onerror: options.onError }),
    });
    await Promise.race([greeted, transport.closed]);
    const tools = await mcp.connection.session.tools();
    const listed = options.listedTools?.();
    if (listed !== undefined && listed !== JSON.stringify(tools)) mcp.connection.announce({ kind: "tools" });
    options.onReady?.(tools);
    await transport.closed;
  } finally {
    await mcp.close();
  }
}
