// The bare SDK over HTTP with one tool, in both eras, to measure `tenon serve` against.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";

function createEcho() {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  const inputSchema = z.object({ text: z.string() });
  server.registerTool("echo", { description: "Echo.", inputSchema }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  return server;
}

const modern = createMcpHandler(createEcho, { legacy: "reject" });
const sessions = new Map();

async function openSession() {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await createEcho().connect(transport);
  return transport;
}

// The adapter that the SDK's own package for Node uses.
const listener = getRequestListener(async (request) => {
  const parsedBody = await request.json();
  if (!(await isLegacyRequest(request, parsedBody))) return modern.fetch(request, { parsedBody });
  const known = sessions.get(request.headers.get("mcp-session-id"));
  return (known ?? (await openSession())).handleRequest(request, { parsedBody });
});
const server = createServer((incoming, outgoing) => void listener(incoming, outgoing)).listen(
  0,
  "127.0.0.1",
  () => {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
  },
);
// Contenders take turns: a kept connection waits for its next one.
server.keepAliveTimeout = 60_000;
