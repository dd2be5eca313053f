import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";

/** A server on a socket of this machine for a handler of requests. */
export async function openFetchServer(
  handle: (request: Request) => Promise<Response>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((req, res) => {
    answer(handle, req, res).catch((error: Error) => res.destroy(error));
  });
  // Longer than a busy machine may take to send the next request on a kept connection.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const leaving = new AbortController();
  res.on("close", () => leaving.abort());
  const request = new Request(`http://${req.headers.host ?? "localhost"}${req.url}`, {
    method: req.method ?? "GET",
    headers: Object.entries(req.headers).map(([name, value]) => [name, String(value)] as [string, string]),
    signal: leaving.signal,
    ...(req.method === "POST" && { body: Readable.toWeb(req) as ReadableStream, duplex: "half" }),
  });
  const refused =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins());
  const response = refused ?? (await handle(request));
  res.writeHead(response.status, Object.fromEntries(response.headers));
  res.flushHeaders();
  if (response.body === null) return void res.end();
  const reader = response.body.getReader();
  leaving.signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined));
  for (let step = await reader.read(); !step.done; step = await reader.read()) res.write(step.value);
  res.end();
}
