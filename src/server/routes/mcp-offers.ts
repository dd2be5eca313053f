import type { Context, Hono } from "hono";
import * as z from "zod";
import type { HostScope } from "../../contract/host.js";
import { createMcpHost } from "../../runtime/mcp-host/create-mcp-host.js";
import type { McpOffersView } from "../api.js";
import { HttpError, notFound } from "../http-error.js";
import { readBody, readParam } from "../read-request.js";
import type { RouteContext } from "../route-context.js";

const readingBody = z.strictObject({ uri: z.string().min(1).max(4096) });
const promptBody = z.strictObject({
  name: z.string().min(1).max(500),
  arguments: z.record(z.string(), z.string().max(100_000)).default({}),
});

/** The resources and prompts of an MCP server, to look at and to try. */
export function addMcpOffers(api: Hono, { tenon, version }: RouteContext): void {
  const host = createMcpHost(tenon, { version });
  const asking = async <T>(c: Context, ask: (scope: HostScope) => Promise<T>): Promise<T> => {
    const name = readParam(c, "name");
    if (!tenon.mcp.servers().some((server) => server.name === name)) throw notFound(`MCP server "${name}"`);
    const session = host.openSession({ agent: "person", servers: [name] });
    try {
      return await ask({ session, servers: [name], signal: c.req.raw.signal });
    } catch (error) {
      throw refusalOf(name, error) ?? error;
    } finally {
      await session.close();
    }
  };
  const { resources, prompts } = tenon.mcp;
  api.get("/mcp-servers/:name/offers", async (c) =>
    c.json(
      await asking(c, async (scope): Promise<McpOffersView> => {
        const [listed, templates = [], prompted] = await Promise.all([
          resources.list(scope),
          resources.templates?.(scope),
          prompts.list(scope),
        ]);
        return { resources: listed, templates, prompts: prompted };
      }),
    ),
  );
  api.post("/mcp-servers/:name/resource", async (c) => {
    const { uri } = await readBody(c, readingBody);
    const read = await asking(c, (scope) => resources.read(uri, scope));
    if (read === undefined) throw notFound(`Resource "${uri}"`);
    return c.json(read);
  });
  api.post("/mcp-servers/:name/prompt", async (c) => {
    const { name, arguments: args } = await readBody(c, promptBody);
    const filled = await asking(c, (scope) => prompts.get(name, args, scope));
    if (filled === undefined) throw notFound(`Prompt "${name}"`);
    return c.json(filled);
  });
}

/** An answer of the server itself, such as that it has no such resource: only these have a numeric code. */
function refusalOf(name: string, error: unknown): HttpError | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number") return undefined;
  const message = `MCP server "${name}" refused the request: ${error.message}`;
  return new HttpError(502, { code: "SERVER_REFUSED", message });
}
