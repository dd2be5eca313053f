import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A server that requires a login, and its authorization server, in one. */
export function startLoginServer(): Promise<{ server: Server; url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { pathname, searchParams } = new URL(request.url ?? "/", base);
    const json = (value: unknown, status = 200, headers = {}): void => {
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(value));
    };
    void text(request).then((body) => {
      seen.push(`${request.method} ${pathname}`);
      if (pathname.includes("oauth-protected-resource"))
        return json({ resource: `${base}/mcp`, authorization_servers: [base] });
      if (pathname.includes("well-known")) {
        return json({
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      }
      if (pathname === "/register") return json({ ...(JSON.parse(body) as object), client_id: "me" }, 201);
      if (pathname === "/authorize") {
        const back = new URL(searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", "c0de");
        back.searchParams.set("state", searchParams.get("state") ?? "");
        return response.writeHead(302, { location: back.href }).end();
      }
      if (pathname === "/token")
        return json({
          access_token: "s3cret-token-value",
          token_type: "Bearer",
          refresh_token: "r3fresh-token-value",
          expires_in: 3600,
        });
      if (request.headers.authorization !== "Bearer s3cret-token-value") {
        return json({}, 401, {
          "www-authenticate": `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
        });
      }
      const { id, method } = JSON.parse(body || "{}") as { id?: number; method?: string };
      if (id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end();
      if (method === "initialize")
        return json({
          jsonrpc: "2.0",
          id,
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "locked", version: "1" },
          },
        });
      if (method === "tools/list")
        return json({
          jsonrpc: "2.0",
          id,
          result: { tools: [{ name: "peek", inputSchema: { type: "object" } }] },
        });
      if (method === "tools/call")
        return json({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "inside" }] } });
      return json({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
    });
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () =>
      resolve({ server, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }),
    ),
  );
}
