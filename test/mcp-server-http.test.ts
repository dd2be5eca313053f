import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it } from "vitest";
import { openHttpFixture, type HttpFixture } from "./conformance/http-fixture.js";
import { envelope, openMcpFixture, type McpFixture } from "./mcp-fixture.js";
import { underLoad } from "./setup/under-load.js";

let fixture: McpFixture;
let http: HttpFixture;
afterEach(async () => {
  await http.close();
  await fixture.close();
});

async function open(
  options: Parameters<typeof openHttpFixture>[1] = {},
  config: Parameters<typeof openMcpFixture>[0] = {},
): Promise<void> {
  fixture = openMcpFixture(config);
  http = await openHttpFixture(fixture.host, options);
}

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(http.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

const rpc = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });
const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };

async function connect(authorization = "one"): Promise<string> {
  const answer = await post(rpc(1, "initialize", hello), { authorization });
  await answer.text();
  return answer.headers.get("mcp-session-id") ?? "";
}

describe("the MCP server over HTTP", () => {
  it("serves the SDK's own client, asks its person and reports progress", async () => {
    await open({}, { config: { approvals: { channels: ["host"] } } });
    const client = new Client({ name: "t", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler("elicitation/create", () => ({
      action: "accept",
      content: { decision: "session" },
    }));
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(30);
    const written = await client.callTool({
      name: "write_file",
      arguments: { path: "a.txt", content: "x\n" },
    });
    expect(written.structuredContent).toMatchObject({ created: true });
    const read = await client.callTool({ name: "file_read", arguments: { path: "a.txt" } });
    expect(read.structuredContent).toMatchObject({ content: "x\n" });
    await client.close();
  });

  it("keeps a client's session in 2026-07-28, and lets nobody else go on with its requests", async () => {
    await open({}, { config: { approvals: { channels: ["host"] } } });
    const _meta = envelope({ elicitation: {} });
    const params = { name: "write_file", arguments: { path: "a.txt", content: "x\n" } };
    const headers = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "write_file",
    };
    const call = async (authorization: string, more: object = {}) => {
      const answer = await post(rpc(1, "tools/call", { ...params, ...more, _meta }), {
        ...headers,
        authorization,
      });
      return (await answer.json()) as { result?: Record<string, unknown>; error?: { code: number } };
    };
    const { result } = await call("one");
    expect(result).toMatchObject({ resultType: "input_required" });
    const [key] = Object.keys(result?.["inputRequests"] as object);
    const inputResponses = { [key!]: { action: "accept", content: { decision: "once" } } };
    const { requestState } = result as { requestState: string };
    expect((await call("other", { inputResponses, requestState })).error?.code).toBe(-32602);
    const done = await call("one", { inputResponses, requestState });
    expect(done.result, JSON.stringify(done)).toMatchObject({ structuredContent: { created: true } });
  });

  it("gives a session to nobody but the client that opened it, and ends it on DELETE", async () => {
    await open();
    const session = await connect("one");
    const list = (authorization: string) =>
      post(rpc(2, "tools/list"), { authorization, "mcp-session-id": session });
    expect((await list("other")).status).toBe(404);
    expect((await list("one")).status).toBe(200);
    const headers = { authorization: "one", "mcp-session-id": session };
    expect((await fetch(http.url, { method: "DELETE", headers })).status).toBe(200);
    expect((await list("one")).status).toBe(404);
    expect(http.mcp.sessionCount()).toBe(0);
  });

  it("refuses what is too large, no JSON, of the wrong type, or without a session", async () => {
    await open({ maxBodyBytes: 10_000 });
    expect((await post(rpc(1, "initialize", { ...hello, x: "y".repeat(20_000) }))).status).toBe(413);
    expect((await post("{")).status).toBe(400);
    expect((await post(rpc(1, "ping"), { "content-type": "text/plain" })).status).toBe(415);
    const latin1 = "application/json; charset=iso-8859-1";
    expect((await post(rpc(1, "ping"), { "content-type": latin1 })).status).toBe(415);
    expect((await post(rpc(1, "ping"), { "content-encoding": "gzip" })).status).toBe(415);
    expect((await post(rpc(1, "tools/list"))).status).toBe(400);
    expect((await post(rpc(1, "tools/list"), { "mcp-session-id": "none" })).status).toBe(404);
    expect((await fetch(http.url)).status).toBe(400);
    const session = await connect();
    const batch = Array.from({ length: 101 }, (_, id) => rpc(id, "ping"));
    const { status } = await post(batch, { authorization: "one", "mcp-session-id": session });
    expect(status).toBe(400);
  });

  it("refuses an id that is in use, and the host that is one too many", async () => {
    await open({ maxSessions: 1 });
    const headers = { authorization: "one", "mcp-session-id": await connect() };
    const slow = await post(rpc(5, "tools/call", { name: "sleep", arguments: { duration: 1.5 } }), headers);
    expect((await post(rpc(5, "ping"), headers)).status).toBe(400);
    expect(await slow.text()).toContain("slept");
    expect((await post(rpc(5, "ping"), headers)).status).toBe(200);
    expect((await post(rpc(1, "initialize", hello))).status).toBe(503);
  });

  it("lets newcomers in at once after 1,000 hosts were greeted and never came back", async () => {
    await open();
    const mine = { authorization: "one", "mcp-session-id": await connect() };
    expect((await post(rpc(2, "tools/list"), mine)).status).toBe(200);
    let latest = "";
    for (let round = 0; round < 20; round++)
      latest = (await Promise.all(Array.from({ length: 50 }, () => connect("one")))).at(-1) ?? "";
    expect(http.mcp.sessionCount()).toBeLessThanOrEqual(256);
    const began = performance.now();
    for (const authorization of ["one", "other"]) {
      const session = await connect(authorization);
      const list = await post(rpc(2, "tools/list"), { authorization, "mcp-session-id": session });
      expect(list.status).toBe(200);
      await list.text();
    }
    expect(performance.now() - began).toBeLessThan(underLoad(30_000));
    // The abandoned gave way, the oldest first; the one that was used is there.
    expect((await post(rpc(3, "ping"), mine)).status).toBe(200);
    expect((await post(rpc(3, "ping"), { ...mine, "mcp-session-id": latest })).status).toBe(200);
  }, 180_000);

  it("never holds more hosts than allowed, however many come at once", async () => {
    await open({ maxSessions: 8, maxPerPrincipal: 5 });
    const counts: number[] = [];
    const watch = setInterval(() => counts.push(http.mcp.sessionCount()), 0);
    const statuses: number[] = [];
    const greet = async (authorization: string): Promise<void> => {
      const answer = await post(rpc(1, "initialize", hello), { authorization });
      counts.push(http.mcp.sessionCount());
      await answer.text();
      statuses.push(answer.status);
    };
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: 40 }, (_, at) => greet(at % 2 === 0 ? "one" : "other")));
    clearInterval(watch);
    expect(Math.max(...counts)).toBe(8);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    // Those who were let in or refused left no place taken.
    await greet("third");
    expect(statuses.at(-1)).toBe(200);
  });

  it("leaves room for another token and tells when to try again", async () => {
    await open({ maxSessions: 4, maxPerPrincipal: 2 });
    for (const session of [await connect("one"), await connect("one")])
      await post(rpc(2, "ping"), { authorization: "one", "mcp-session-id": session });
    const refused = await post(rpc(1, "initialize", hello), { authorization: "one" });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await post(rpc(1, "initialize", hello), { authorization: "other" })).status).toBe(200);
  });

  it("keeps nothing of a greeting that it refused", async () => {
    await open();
    const { host } = fixture;
    const openSession = host.openSession.bind(host);
    let sessions = 0;
    Object.assign(host, {
      openSession: (...args: Parameters<typeof openSession>) => {
        const session = openSession(...args);
        const close = session.close.bind(session);
        sessions++;
        return Object.assign(session, { close: () => (sessions--, close()) });
      },
    });
    expect((await post(rpc(1, "initialize", hello), { accept: "application/json" })).status).toBe(406);
    expect((await post(rpc(1, "initialize"))).status).toBe(400);
    expect(sessions).toBe(0);
    await connect();
    expect(sessions).toBe(1);
  });

  it("keeps a client of 2026-07-28 as long as it listens", async () => {
    await open({ idleMs: 200 });
    const params = { notifications: { toolsListChanged: true }, _meta: envelope() };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
    const stream = await post(rpc(1, "subscriptions/listen", params), { ...headers, authorization: "one" });
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    await new Promise((resolve) => setTimeout(resolve, 500)); // longer than an idle one is kept
    expect(http.mcp.sessionCount()).toBe(1);
    await stream.body?.cancel();
    await expect.poll(() => http.mcp.sessionCount()).toBe(0);
  });

  it("forgets a host that is silent, but none that listens", async () => {
    await open({ idleMs: 200 });
    const silent = await connect();
    const headers = { authorization: "one", "mcp-session-id": await connect(), accept: "text/event-stream" };
    const stream = await fetch(http.url, { headers });
    await expect.poll(() => http.mcp.sessionCount()).toBe(1);
    expect((await post(rpc(2, "ping"), { authorization: "one", "mcp-session-id": silent })).status).toBe(404);
    await stream.body?.cancel();
    await expect.poll(() => http.mcp.sessionCount()).toBe(0);
  });
});
