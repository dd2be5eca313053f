import { resolve } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTestServer, type TestServer } from "./testing/open-server.js";

const fixture = resolve(import.meta.dirname, "../../test/fixtures/plain-server.mjs");
const server = { command: process.execPath, args: [fixture] };

let at: TestServer;
const clients: Client[] = [];

beforeAll(async () => {
  at = await openTestServer({
    tenonOptions: {
      config: {
        mcpServers: { one: server, two: server },
        toolsets: { readers: ["read_file", "list_files", "one:*", "two:*"] },
        tools: { native: ["anthropic", "openai"] },
        endpoints: {
          review: { toolset: "readers", servers: ["one"], prompts: [] },
          search: { listing: "search" },
          claude: { native: ["anthropic"] },
          none: { native: [] },
          broken: { toolset: "no-such-toolset" },
        },
      },
    },
  });
  for (const role of ["viewer", "operator"] as const)
    await at.tenon.access.addPrincipal({ name: role, kind: "program", role });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => at.close());

async function connect(path: string, token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(path, at.server.url), { requestInit: { headers } }),
  );
  clients.push(client);
  return client;
}

const tokenFor = async (name: string, principal: string, endpoint?: string): Promise<string> => {
  const role = principal as "viewer";
  return (await at.tenon.access.createToken({ name, principal, role, ...(endpoint && { endpoint }) })).secret;
};

describe("an MCP endpoint", () => {
  it("offers the tools, servers and prompts of its configuration, and nothing else", async () => {
    const client = await connect("/mcp/review", at.server.mcpToken);
    const names = (await client.listTools()).tools.map(({ name }) => name).toSorted();
    expect(names.filter((name) => !name.startsWith("one__"))).toEqual(["list_files", "read_file"]);
    expect(names.some((name) => name.startsWith("one__"))).toBe(true);
    const own = names.find((name) => name.startsWith("one__"));
    expect((await client.listPrompts()).prompts).toEqual([]);
    await expect(client.getPrompt({ name: "tools" })).rejects.toThrow(/tools/);
    for (const name of ["write_file", own!.replace("one__", "two__"), own!.replace("one__", "two:")]) {
      const answer = await client.callTool({ name, arguments: {} }).catch((error: Error) => error);
      expect(JSON.stringify(answer instanceof Error ? answer.message : answer)).toMatch(/not found|unknown/i);
    }
    const all = await connect("/mcp", at.server.mcpToken);
    const everything = (await all.listTools()).tools.map(({ name }) => name);
    expect(everything.length).toBeGreaterThan(60);
    expect(everything.some((name) => name.startsWith("two__"))).toBe(true);
  });

  it("offers the native tools of its own providers", async () => {
    const named = async (path: string) => {
      const { tools } = await (await connect(path, at.server.mcpToken)).listTools();
      return tools
        .map(({ name }) => name)
        .filter((name) => ["str_replace_based_edit_tool", "apply_patch", "shell", "bash"].includes(name));
    };
    expect(await named("/mcp/claude")).toContain("str_replace_based_edit_tool");
    expect(await named("/mcp/none")).not.toContain("str_replace_based_edit_tool");
    expect(await named("/mcp")).toEqual(expect.arrayContaining(["str_replace_based_edit_tool", "shell"]));
    expect(await named("/mcp/claude")).not.toContain("shell");
  });

  it("has a listing of its own", async () => {
    const client = await connect("/mcp/search", at.server.mcpToken);
    const names = (await client.listTools()).tools.map(({ name }) => name).toSorted();
    expect(names).toEqual(["call_tool", "describe_tool", "tool_search"]);
  });

  it("is recorded with the user and judged by rules about the endpoint", async () => {
    const token = await tokenFor("ci", "operator", "review");
    const client = await connect("/mcp/review", token);
    await client.callTool({ name: "list_files", arguments: { path: "." } });
    const [record] = await at.tenon.audit.search({ tool: "list_files", limit: 1 });
    expect(record).toMatchObject({ principal: "operator", userId: "operator" });
    await expect(connect("/mcp", token)).rejects.toThrow(/403|opens \/mcp\/review only/);
    await expect(connect("/mcp/search", token)).rejects.toThrow(/403|opens \/mcp\/review only/);
  });

  it("keeps its sessions from other endpoints and users", async () => {
    const token = await tokenFor("one-user", "operator");
    const other = await tokenFor("another-user", "viewer");
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "raw", version: "1" },
      },
    };
    const send = (path: string, secret: string, body: unknown, session?: string) =>
      at.ask(path, {
        method: "POST",
        body,
        headers: {
          authorization: `Bearer ${secret}`,
          accept: "application/json, text/event-stream",
          ...(session !== undefined && { "mcp-session-id": session }),
        },
      });
    const opened = await send("/mcp/review", token, hello);
    const session = opened.headers["mcp-session-id"] as string;
    expect(session).toBeTypeOf("string");
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    expect((await send("/mcp/review", token, list, session)).status).toBe(200);
    expect((await send("/mcp", token, list, session)).status).toBe(404);
    expect((await send("/mcp/search", token, list, session)).status).toBe(404);
    expect((await send("/mcp/review", other, list, session)).status).toBe(404);
    expect((await send("/mcp/review", at.server.mcpToken, list, session)).status).toBe(404);
    // With another role the user is not who opened it.
    await at.tenon.access.changePrincipal("operator", { role: "viewer" });
    expect((await send("/mcp/review", token, list, session)).status).toBe(404);
    await at.tenon.access.changePrincipal("operator", { role: "operator" });
    expect((await send("/mcp/review", token, list, session)).status).toBe(200);
  });

  it.each(["nope", "..", "%2e%2e", "review%2f", "constructor", "__proto__"])(
    "that is not configured does not exist: %s",
    async (name) => {
      const reply = await at.ask(`/mcp/${name}`, { method: "POST", body: {} });
      expect(reply.status).toBe(404);
    },
  );

  it("lets a viewer read, and nothing more", async () => {
    const client = await connect("/mcp", await tokenFor("looking", "viewer"));
    const read = await client.callTool({ name: "list_files", arguments: { path: "." } });
    expect(read.isError).not.toBe(true);
    const written = await client.callTool({
      name: "write_file",
      arguments: { path: "v.txt", content: "x" },
    });
    expect(JSON.stringify(written)).toContain("a viewer may only read");
  });

  it("with a toolset that does not exist is told", async () => {
    await expect(connect("/mcp/broken", at.server.mcpToken)).rejects.toThrow(/no-such-toolset/);
  });
});
