/** MCP over HTTP as the server mounts it: behind its checks of token, Host and Origin. */
export interface McpEndpoint {
  /** Answer one request of a client that was let in. */
  fetch(request: Request, who: { readonly id: string; readonly address: string }): Promise<Response>;
  close(): Promise<void>;
}
