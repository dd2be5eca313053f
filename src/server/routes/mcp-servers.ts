import type { Hono } from "hono";
import * as z from "zod";
import type { McpServerView } from "../api.js";
import { notFound } from "../http-error.js";
import { readBody, readParam } from "../read-request.js";
import type { RouteContext } from "../route-context.js";

const acceptBody = z.strictObject({ tools: z.array(z.string().min(1).max(200)).max(10_000).optional() });

/** The MCP servers behind Tenon, and what waits there for a person. */
export function addMcpServers(api: Hono, { tenon }: RouteContext): void {
  const known = (name: string): string => {
    if (!tenon.mcp.servers().some((server) => server.name === name)) throw notFound(`MCP server "${name}"`);
    return name;
  };
  api.get("/mcp-servers", (c) => c.json(tenon.mcp.servers() satisfies readonly McpServerView[]));
  api.post("/mcp-servers/:name/accept", async (c) => {
    const name = known(readParam(c, "name"));
    const { tools } = await readBody(c, acceptBody);
    return c.json({ accepted: await tenon.mcp.accept(name, tools) });
  });
  api.get("/mcp-servers/:name/logs", (c) => {
    const name = known(readParam(c, "name"));
    return c.json({ lines: tenon.mcp.logs(name, { lines: 1000 }) });
  });
  api.post("/mcp-servers/:name/stop", async (c) => {
    const name = known(readParam(c, "name"));
    return c.json((await tenon.mcp.stop(name)) satisfies McpServerView);
  });
  api.post("/mcp-servers/:name/restart", async (c) => {
    const name = known(readParam(c, "name"));
    return c.json((await tenon.mcp.restart(name)) satisfies McpServerView);
  });
}
