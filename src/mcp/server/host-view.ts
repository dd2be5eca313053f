import type { McpHostView } from "./create-mcp-http.js";
import type { McpServer } from "./create-mcp-server.js";

/** A host that is connected, as people see it. */
export function toHostView(place: {
  readonly mcp: McpServer;
  readonly address: string;
  readonly lastSeen: number;
  readonly busy: boolean;
}): McpHostView {
  const { mcp, address, lastSeen, busy } = place;
  const { session, options, info, since } = mcp.connection;
  return {
    id: session.id,
    user: options.userId,
    role: options.role,
    endpoint: options.endpoint,
    agent: session.agent,
    client: info,
    address,
    since,
    lastSeen,
    busy,
  };
}
