import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { McpHttpOptions } from "../src/mcp/server/create-mcp-http.js";
import { openHttpFixture, type HttpFixture } from "./conformance/http-fixture.js";
import { openMcpFixture, type McpFixture } from "./mcp-fixture.js";

interface Host {
  readonly id: string;
  call(
    name: string,
    args?: object,
  ): Promise<{ structuredContent?: Record<string, unknown>; isError?: boolean }>;
  status(): Promise<number>;
  end(): Promise<unknown>;
  /** Listen for messages, as hosts do while they are there. */
  listen(): Promise<() => Promise<void>>;
}

describe("a host that comes back over HTTP", () => {
  let fixture: McpFixture;
  let http: HttpFixture;

  const open = async (options: McpHttpOptions = {}): Promise<void> => {
    fixture = openMcpFixture({
      config: { mode: "auto", policy: { rules: [{ decision: "allow", tool: "shell_exec" }] } },
    });
    http = await openHttpFixture(fixture.host, options);
  };
  afterEach(async () => {
    await http.close();
    await fixture.close();
  });

  const post = (body: object, headers: Record<string, string>): Promise<Response> =>
    fetch(http.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });

  const greet = async (
    client: string,
    { token = "one", session }: { token?: string; session?: string } = {},
  ) => {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: client, version: "1" },
    };
    const headers = { authorization: token, ...(session !== undefined && { "mcp-session-id": session }) };
    const answer = await post({ id: 0, method: "initialize", params }, headers);
    await answer.text();
    return answer;
  };

  const connect = async (
    client: string,
    options: { token?: string; session?: string } = {},
  ): Promise<Host> => {
    const { token = "one" } = options;
    const answer = await greet(client, options);
    expect(answer.status).toBe(200);
    const id = answer.headers.get("mcp-session-id") ?? "";
    const headers = { authorization: token, "mcp-session-id": id };
    await (await post({ method: "notifications/initialized" }, headers)).text();
    let last = 0;
    const ask = (method: string, params: object) => post({ id: ++last, method, params }, headers);
    return {
      id,
      async call(name, args = {}) {
        const text = await (await ask("tools/call", { name, arguments: args })).text();
        const line = text.split("\n").findLast((each) => each.startsWith("data: {")) ?? `data: ${text}`;
        return (JSON.parse(line.slice("data: ".length)) as { result: never }).result;
      },
      status: async () => (await ask("ping", {})).status,
      end: () => fetch(http.url, { method: "DELETE", headers }),
      async listen() {
        const stop = new AbortController();
        await fetch(http.url, {
          headers: { ...headers, accept: "text/event-stream", "mcp-protocol-version": "2025-11-25" },
          signal: stop.signal,
        });
        return async () => stop.abort();
      },
    };
  };

  const startJob = async (host: Host): Promise<void> => {
    const started = await host.call("shell_exec", {
      command: "while :; do echo x >> alive; sleep 0.05; done",
      background: true,
    });
    expect(started.isError).not.toBe(true);
    await expect.poll(() => existsSync(join(fixture.dir, "alive"))).toBe(true);
  };
  const jobsOf = async (host: Host): Promise<number> =>
    Number((await host.call("shell_jobs")).structuredContent?.["count"]);
  const isAlive = async (): Promise<boolean> => {
    const size = (): number => readFileSync(join(fixture.dir, "alive")).length;
    const before = size();
    await new Promise((resolve) => setTimeout(resolve, 400));
    return size() > before;
  };
  const recorded = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const record of fixture.tenon.audit.export({ tool: "jobs_end" })) found.push(record);
    return found;
  };

  it("finds its jobs in the session that it names", async () => {
    await open();
    const first = await connect("editor");
    await startJob(first);
    const second = await connect("editor", { session: first.id });
    expect(await jobsOf(second)).toBe(1);
    expect(await first.status()).toBe(404);
    expect(await isAlive()).toBe(true);
  });

  it("finds them without naming it, once it is clear that its connection was lost", async () => {
    await open();
    const first = await connect("editor");
    const leave = await first.listen();
    await startJob(first);
    // While it listens, another window of the same program gets a session of its own.
    expect(await jobsOf(await connect("editor"))).toBe(0);
    await leave();
    await new Promise((resolve) => setTimeout(resolve, 3200));
    expect(await jobsOf(await connect("other"))).toBe(0);
    expect(await jobsOf(await connect("editor", { token: "two" }))).toBe(0);
    expect(await jobsOf(await connect("editor"))).toBe(1);
    expect(await isAlive()).toBe(true);
  });

  it("finds nothing of others, by whatever id", async () => {
    await open();
    const first = await connect("editor");
    await startJob(first);
    for (const session of [first.id, "nonsense", ""])
      expect((await greet("editor", { token: "two", session })).status).toBe(404);
    const leave = await first.listen();
    expect((await greet("editor", { session: first.id })).status).toBe(400);
    await leave();
    expect(await jobsOf(first)).toBe(1);
  });

  it("finds them after it had to give way to others", async () => {
    await open({ maxPerPrincipal: 1 });
    const first = await connect("editor");
    await startJob(first);
    await expect
      .poll(async () => (await greet("other")).status, { timeout: 15_000, interval: 500 })
      .toBe(200);
    expect(await first.status()).toBe(404);
    expect(await isAlive()).toBe(true);
    expect(await jobsOf(await connect("editor"))).toBe(1);
  });

  it("waits for room like others, and still finds them then", async () => {
    await open({ maxPerPrincipal: 1 });
    const first = await connect("editor");
    await startJob(first);
    await expect
      .poll(async () => (await greet("other")).status, { timeout: 15_000, interval: 500 })
      .toBe(200);
    const other = await connect("other");
    expect(await other.status()).toBe(200);
    const leave = await other.listen();
    expect((await greet("editor")).status).toBe(503);
    expect((await greet("editor", { session: first.id })).status).toBe(503);
    expect(http.mcp.sessionCount()).toBe(1);
    await leave();
    await other.end();
    expect(await jobsOf(await connect("editor"))).toBe(1);
    expect(await isAlive()).toBe(true);
  });

  it("has lost them after a time; that is recorded with what was ended", async () => {
    await open({ keepMs: 300 });
    const first = await connect("editor");
    const leave = await first.listen();
    await startJob(first);
    expect(await isAlive()).toBe(true);
    await leave();
    await expect.poll(isAlive, { timeout: 15_000 }).toBe(false);
    await expect.poll(recorded).toHaveLength(1);
    expect(JSON.stringify(await recorded())).toMatch(/did not come back.*echo x >> alive/);
    expect(await jobsOf(await connect("editor"))).toBe(0);
  });

  it("has lost them at once if it ended its session itself", async () => {
    await open();
    const first = await connect("editor");
    await startJob(first);
    await first.end();
    expect(await jobsOf(await connect("editor"))).toBe(0);
    await expect.poll(isAlive).toBe(false);
  });
});
