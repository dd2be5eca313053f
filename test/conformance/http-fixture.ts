import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { McpHost } from "../../src/contract/host.js";
import { createMcpHttp, type McpHttp, type McpHttpOptions } from "../../src/mcp/server/create-mcp-http.js";

/** MCP over a real socket; the bearer token, where one is sent, is the client. */
export interface HttpFixture {
  readonly url: string;
  readonly mcp: McpHttp;
  close(): Promise<void>;
}

export async function openHttpFixture(host: McpHost, options: McpHttpOptions = {}): Promise<HttpFixture> {
  const mcp = createMcpHttp(host, options);
  const server = createServer((req, res) => {
    answer(mcp, req, res).catch((error: Error) => res.destroy(error));
  });
  // Longer than a busy machine may take to send the next request on a kept connection.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    mcp,
    async close() {
      await mcp.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(mcp: McpHttp, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const headers = Object.entries(req.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const request = new Request(`http://${req.headers.host ?? "localhost"}${req.url}`, { headers });
  const refused =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins());
  if (refused !== undefined) {
    res.writeHead(refused.status, Object.fromEntries(refused.headers)).end(await refused.text());
    return;
  }
  await mcp.handle(req, res, { id: req.headers.authorization ?? "anybody", agent: "tester" });
}
