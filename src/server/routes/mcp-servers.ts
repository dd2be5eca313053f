import type { Hono } from "hono";
import * as z from "zod";
import type { McpServerView, PluginView } from "../api.js";
import { editServers, removableServers } from "../../config/edit-servers.js";
import { readServer } from "../../config/read-server.js";
import type { ServerView } from "../../mcp/gateway/gateway-types.js";
import { HttpError, notFound } from "../http-error.js";
import { readBody, readParam } from "../read-request.js";
import type { RouteContext } from "../route-context.js";
import { startedInCode } from "./system.js";

const acceptBody = z.strictObject({ tools: z.array(z.string().min(1).max(200)).max(10_000).optional() });

/** The plugins and the MCP servers behind Tenon, and what waits there for a person. */
export function addMcpServers(api: Hono, served: RouteContext): void {
  const { tenon } = served;
  const known = (name: string): string => {
    if (!tenon.mcp.servers().some((server) => server.name === name)) throw notFound(`MCP server "${name}"`);
    return name;
  };
  api.get("/plugins", (c) => c.json(tenon.plugins() satisfies readonly PluginView[]));
  api.get("/mcp-servers", async (c) => c.json(await viewServers(served)));
  addEditing(api, served);
  api.post("/mcp-servers/:name/login", async (c) => {
    const name = known(readParam(c, "name"));
    return c.json(await startLogin(served, name));
  });
  api.post("/mcp-servers/:name/logout", async (c) => {
    const name = known(readParam(c, "name"));
    return c.json({ loggedOut: await tenon.mcp.logout(name) });
  });
  api.post("/mcp-servers/:name/accept", async (c) => {
    const name = known(readParam(c, "name"));
    const { tools } = await readBody(c, acceptBody);
    return c.json({ accepted: await tenon.mcp.accept(name, tools) });
  });
  api.post("/mcp-servers/:name/reject", async (c) => {
    const name = known(readParam(c, "name"));
    const { tools } = await readBody(c, acceptBody);
    return c.json({ rejected: await tenon.mcp.reject(name, tools) });
  });
  api.get("/mcp-servers/:name/logs", (c) => {
    const name = known(readParam(c, "name"));
    return c.json({ lines: tenon.mcp.logs(name, { lines: 1000 }) });
  });
  api.post("/mcp-servers/:name/stop", async (c) => {
    const name = known(readParam(c, "name"));
    return c.json((await tenon.mcp.stop(name)) satisfies ServerView);
  });
  api.post("/mcp-servers/:name/restart", async (c) => {
    const name = known(readParam(c, "name"));
    return c.json((await tenon.mcp.restart(name)) satisfies ServerView);
  });
}

/** The servers, with where each is configured. */
async function viewServers({ tenon, machine }: RouteContext): Promise<readonly McpServerView[]> {
  const removable = machine === undefined ? undefined : await removableServers(machine.configFolder);
  const sources = machine?.configuration().sources ?? [];
  return tenon.mcp.servers().map((server) => {
    const own = `mcpServers.${server.name}.`;
    const source = sources.find(({ settings }) => settings?.some((path) => path.startsWith(own)));
    return { ...server, removable: removable?.has(server.name) === true, file: source?.file };
  });
}

const addBody = z.strictObject({
  name: z.string().min(1).max(64),
  server: z.record(z.string(), z.unknown()),
});

/** Servers of the user's configuration; `tenon serve` takes up what changed in it by itself. */
function addEditing(api: Hono, { tenon, machine }: RouteContext): void {
  const edit = async (changes: Parameters<typeof editServers>[1]) => {
    if (machine === undefined) throw startedInCode("MCP servers can be added and removed where they are");
    const done = await editServers(machine.configFolder, changes);
    if (done.done) return done;
    throw new HttpError(409, {
      code: "CONFIG_IS_PROGRAM",
      message: `${done.file} is a program, so it has to be changed by hand.`,
      hint: done.snippet,
    });
  };
  api.post("/mcp-servers", async (c) => {
    const { name, server } = await readBody(c, addBody);
    const read = readServer(name, server);
    if (!read.ok) throw new HttpError(400, { code: "REQUEST_INVALID", message: read.reason });
    const { file, kept } = await edit({ [name]: read.server });
    if (kept.length > 0)
      throw new HttpError(409, {
        code: "NAME_TAKEN",
        message: `${file} already has a server named "${name}".`,
      });
    return c.json({ added: name, file });
  });
  api.delete("/mcp-servers/:name", async (c) => {
    const name = readParam(c, "name");
    const { changed, file } = await edit({ [name]: undefined });
    if (!changed) throw notFound(`MCP server "${name}" in ${file}`);
    await tenon.mcp.forget(name);
    return c.json({ removed: name, file });
  });
}

const loginMs = 300_000;

/** Start a login and answer with the address to open; it continues until the person has come back from there. */
async function startLogin(
  { tenon }: RouteContext,
  name: string,
): Promise<{ readonly url?: string; readonly done: boolean }> {
  const signal = AbortSignal.timeout(loginMs);
  let finished: Promise<void> = Promise.resolve();
  const url = await new Promise<string | undefined>((resolve, reject) => {
    finished = tenon.mcp.login(name, { onLogin: (to) => resolve(to.href), signal });
    finished.then(() => resolve(undefined), reject);
  });
  // How it ends shows in the state of the server, which uses the login after a restart.
  finished.then(() => tenon.mcp.restart(name)).catch(() => undefined);
  return url === undefined ? { done: true } : { url, done: false };
}
