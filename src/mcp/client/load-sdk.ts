import type * as sdk from "@modelcontextprotocol/client";

/** The MCP SDK's client, loaded when the first server is reached. */
export type McpSdk = typeof sdk;

/** Load the SDK; it costs too much for those who reach no server. */
export function loadSdk(): Promise<McpSdk> {
  return import("@modelcontextprotocol/client");
}
