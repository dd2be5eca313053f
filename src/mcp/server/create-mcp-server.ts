import type * as sdkModule from "@modelcontextprotocol/server";
import type { Server } from "@modelcontextprotocol/server";
import type { McpHost } from "../../contract/host.js";
import { answerRequests } from "./answer-requests.js";
import { Connection, type ConnectionOptions } from "./connection.js";

/** The SDK, loaded when the first host connects. */
export type Sdk = typeof sdkModule;

/** A host's connection and the protocol servers that speak for it. */
export interface McpServer {
  readonly connection: Connection;
  /** A protocol server for this connection; `follows` where it lives as long as the connection does. */
  createServer(follows: boolean): Server;
  /** End the session; running calls are cancelled by the transport that carries them. */
  close(reason?: string): Promise<void>;
}

/** Speak MCP for a Tenon: one host's session, behind one or more protocol servers of the SDK. */
export function createMcpServer(sdk: Sdk, host: McpHost, options: ConnectionOptions = {}): McpServer {
  const connection = new Connection(host, options);
  return {
    connection,
    createServer(follows) {
      const server = buildServer(sdk, connection);
      if (follows) connection.listen(server);
      return server;
    },
    close: (reason) => connection.close(reason),
  };
}

function buildServer(sdk: Sdk, connection: Connection): Server {
  const { host } = connection;
  const server = new sdk.Server(
    { name: host.name, version: host.version },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      ...(host.instructions !== undefined && { instructions: host.instructions }),
    },
  );
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
  if (connection.options.onError !== undefined) server.onerror = connection.options.onError;
  answerRequests({ sdk, server, connection });
  server.setNotificationHandler("notifications/roots/list_changed", () => connection.session.rootsChanged());
  return server;
}
