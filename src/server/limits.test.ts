import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestServer, type Reply, type TestServer } from "./testing/open-server.js";

let at: TestServer;
const secrets = new Map<string, string>();

beforeAll(async () => {
  at = await openTestServer({
    tenonOptions: {
      config: {
        mode: "auto",
        tools: {
          quotas: [
            { user: "*", perMinute: 3 },
            { tool: "get_env", user: "*", perDay: 1 },
          ],
        },
        endpoints: {
          small: { limits: { perHour: 2 }, policy: [{ decision: "deny", tool: "list_files" }] },
          other: {},
        },
      },
    },
  });
  for (const name of ["ann", "bob", "cat"]) {
    await at.tenon.access.addPrincipal({ name, kind: "person", role: "operator" });
    const created = await at.tenon.access.createToken({ name, principal: name, role: "operator" });
    secrets.set(name, created.secret);
  }
});
afterAll(() => at.close());

const askAs = (name: string, path: string, body?: unknown): Promise<Reply> =>
  at.ask(path, {
    ...(body !== undefined && { method: "POST", body }),
    headers: { authorization: `Bearer ${secrets.get(name)}` },
  });
const callAs = (name: string, tool: string, args: object = {}) =>
  askAs(name, `/api/tools/${tool}/call`, { arguments: args });

async function connect(path: string) {
  const seen: Headers[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(path, at.server.url), {
    requestInit: { headers: { authorization: `Bearer ${at.server.mcpToken}` } },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      seen.push(response.headers);
      return response;
    },
  });
  const client = new Client({ name: "host", version: "1" });
  await client.connect(transport);
  return { client, lastHeaders: () => seen.at(-1) };
}

describe("limits", () => {
  it("count the calls of each user alone, and are told in headers, statuses and errors", async () => {
    const first = await callAs("ann", "current_time");
    expect(first.headers).toMatchObject({ "ratelimit-limit": "3", "ratelimit-remaining": "2" });
    await callAs("ann", "current_time");
    await callAs("ann", "current_time");
    const refused = await callAs("ann", "current_time");
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({ code: "QUOTA_SPENT", details: { limit: 3, per: "minute" } });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
    expect((await callAs("bob", "current_time")).status).toBe(200);
    // The person whose server it is has no name, so no quota for users counts.
    expect((await at.post("/api/tools/current_time/call", { arguments: {} })).headers).not.toHaveProperty(
      "ratelimit-limit",
    );
  });

  it("of a tool are counted besides, and users see what is used of their own", async () => {
    expect((await callAs("cat", "get_env", { key: "PATH" })).status).toBe(200);
    const refused = await callAs("cat", "get_env", { key: "PATH" });
    expect(refused.body.error.details).toMatchObject({ limit: 1, per: "day" });
    expect(refused.headers["ratelimit-policy"]).toBe("1;w=86400");
    const { body: own } = await askAs("cat", "/api/limits");
    expect(own.map(({ user }: { user: string }) => user)).toEqual(["cat", "cat"]);
    expect(own[0]).toMatchObject({ tool: "get_env", per: "day", used: 1, limit: 1 });
    const all = (await at.ask("/api/limits")).body.map(({ user }: { user: string }) => user);
    expect(all).toEqual(expect.arrayContaining(["ann", "bob", "cat"]));
  });

  it("and rules of an endpoint hold there and nowhere else", async () => {
    const small = await connect("/mcp/small");
    const other = await connect("/mcp/other");
    const list = { name: "list_files", arguments: { path: "." } };
    expect(JSON.stringify(await small.client.callTool(list))).toContain("endpoints.small.policy[0]");
    expect((await other.client.callTool(list)).isError).not.toBe(true);
    const now = { name: "current_time", arguments: {} };
    await small.client.callTool(now);
    await small.client.callTool(now);
    const refused = await small.client.callTool(now);
    expect(JSON.stringify(refused)).toContain("QUOTA_SPENT");
    expect(small.lastHeaders()?.get("ratelimit-remaining")).toBe("0");
    expect(Number(small.lastHeaders()?.get("retry-after"))).toBeGreaterThan(0);
    expect((await other.client.callTool(now)).isError).not.toBe(true);
    expect(other.lastHeaders()?.has("ratelimit-limit")).toBe(false);
    await small.client.close();
    await other.client.close();
  });

  it.each(["..", ".", "%2e%2e", "__proto__", "constructor", "a/b", "small%00", "SMALL"])(
    "no endpoint answers to %s",
    async (name) => {
      const reply = await at.ask(`/mcp/${name}`, { method: "POST", body: {} });
      expect(reply.status).toBe(404);
    },
  );
});
