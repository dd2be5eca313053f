import type { IncomingMessage, ServerResponse } from "node:http";

/** MCP over HTTP as the server mounts it: behind its checks of token, Host and Origin. */
export interface McpEndpoint {
  /** Answer one request of a client that was let in. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    who: { readonly id: string; readonly address: string },
  ): Promise<void>;
  close(): Promise<void>;
}
