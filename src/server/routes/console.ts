import type { Context, Hono } from "hono";
import { notFound } from "../http-error.js";
import { pickBody, type ConsoleFiles, type StaticFile } from "../static-files.js";

/** The console itself: its files, and its page for every address that the page itself makes sense of. */
export function addConsole(app: Hono, console: ConsoleFiles): void {
  app.get("*", async (c) => {
    const files = await console.load();
    if (files === undefined) return c.text(notBuilt);
    const path = c.req.path;
    const file = files.get(path) ?? (isPage(path) ? files.get("/index.html") : undefined);
    if (file === undefined) throw notFound("Page");
    return send(c, file);
  });
}

/** An address without a file ending is the page's own. */
function isPage(path: string): boolean {
  return !path.startsWith("/api/") && !path.startsWith("/assets/") && /^(?:\/[\w:@%-]*)*$/.test(path);
}

function send(c: Context, file: StaticFile): Response {
  const { body, encoding } = pickBody(file, c.req.header("accept-encoding"));
  c.header("content-type", file.type);
  c.header("cache-control", file.cache);
  c.header("vary", "accept-encoding");
  if (encoding !== "identity") c.header("content-encoding", encoding);
  return c.body(new Uint8Array(body.buffer, body.byteOffset, body.byteLength) as Uint8Array<ArrayBuffer>);
}

const notBuilt = [
  "Tenon is running, but its console has not been built here.",
  "In the source tree of Tenon: npm run build",
  "The API under /api and MCP under /mcp work without it.",
  "",
].join("\n");
