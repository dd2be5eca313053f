import type { Role } from "../contract/ports/access.js";
import type { IncomingMessage, ServerResponse } from "node:http";

/** Who sends a request, as the gate found out. */
export interface McpClient {
  /** The same for every request of one client, and of no other. */
  readonly id: string;
  readonly address: string;
  /** The name of a user with a token of its own. */
  readonly principal?: string | undefined;
  readonly userId?: string | undefined;
  readonly role?: Role | undefined;
  readonly endpoint?: string | undefined;
}

/** MCP over HTTP as the server mounts it: behind its checks of token, Host and Origin. */
export interface McpEndpoint {
  /** Answer one request of a client that was let in. */
  handle(request: IncomingMessage, response: ServerResponse, who: McpClient): Promise<void>;
  close(): Promise<void>;
}
