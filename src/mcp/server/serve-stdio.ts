import type { McpRequestContext, Server, Transport } from "@modelcontextprotocol/server";
import type { HostTool, McpHost } from "../../contract/host.js";
import type { ConnectionOptions } from "./connection.js";
import { createMcpServer } from "./create-mcp-server.js";
import { DirectCalls } from "./direct-calls.js";
import type { StdioTransport } from "./stdio-transport.js";

export interface ServeStdioOptions extends ConnectionOptions {
  /** The tools that the host was told of before the session was there. */
  readonly toldTools?: (() => string | undefined) | undefined;
  /** Told which tools the session has, when all is ready. */
  readonly onReady?: ((tools: readonly HostTool[]) => void) | undefined;
}

/** Serve one host on a pair of streams. Resolves when the host is gone and its session is closed. */
export async function serveStdio(
  host: McpHost,
  transport: StdioTransport,
  options: ServeStdioOptions = {},
): Promise<void> {
  const [sdk, stdio] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const mcp = createMcpServer(sdk, host, { ...options, local: true });
  try {
    const direct = new DirectCalls(mcp.connection, transport);
    transport.intercept = (message) => direct.take(message);
    // A host that has closed its end answers no question any more, though it may still read.
    transport.afterEnd = () => void setTimeout(() => mcp.connection.lostAll(), 2000).unref();
    transport.accepts = (request) => sdk.isJSONRPCRequest(request);
    const create = ({ era }: McpRequestContext): Server => {
      const server = mcp.createServer(true);
      if (era === "legacy") direct.attach(server);
      return server;
    };
    stdio.serveStdio(create, {
      transport: transport as Transport,
      ...(options.onError !== undefined && { onerror: options.onError }),
    });
    const tools = await mcp.connection.session.tools();
    const told = options.toldTools?.();
    if (told !== undefined && told !== JSON.stringify(tools)) mcp.connection.tell({ kind: "tools" });
    options.onReady?.(tools);
    await transport.closed;
  } finally {
    await mcp.close();
  }
}
