import { connect, type Msg } from "@nats-io/transport-node";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testPostgres } from "../../test/postgres.js";
import { underLoad } from "../../test/setup/under-load.js";
import type { RunningServer } from "../server/index.js";
import { createFleet } from "./testing/fleet-fixture.js";
import { askFront as ask, frontToken, openHttpFront } from "./testing/http-front.js";
import { seenConsole } from "./worker/worker-facts.js";
import type { Worker } from "./worker/worker.js";
import { startNats, type TestNats } from "./testing/nats-server.js";

const vaultServer = resolve(import.meta.dirname, "../../test/fixtures/secret-server.mjs");
let nats: TestNats;
let fleet: ReturnType<typeof createFleet>;
let worker: Worker;
let one: RunningServer;
let other: RunningServer;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const [server, database] = await Promise.all([startNats(), testPostgres()]);
  nats = server;
  const secrets = { keyFile: join(mkdtempSync(join(tmpdir(), "tenon-fleet-key-")), "secrets.key") };
  writeFileSync(secrets.keyFile, randomBytes(32).toString("base64url"), { mode: 0o600 });
  const vault = { command: process.execPath, args: [vaultServer], env: { API_KEY: "${secret:API_KEY}" } };
  const policy = { rules: [{ decision: "allow" as const, tool: "vault:*" }] };
  const config = { mode: "ask" as const, secrets, policy, mcpServers: { vault } };
  fleet = createFleet({ nats: nats.url, database, config });
  ({ worker } = await fleet.worker());
  const ofFronts = { database, fleet: { nats: nats.url, tenant: fleet.tenant } };
  const front = async (name: string): Promise<RunningServer> => {
    const onFault = (cause: unknown): void => void fleet.faults.push(cause);
    const opened = await openHttpFront({ root: fleet.root, name, config: ofFronts, onFault });
    closers.push(() => opened.close());
    return opened.server;
  };
  [one, other] = [await front("one"), await front("other")];
}, underLoad(60_000));

afterAll(async () => {
  for (const close of closers) await close();
  await fleet.close();
  await nats.close();
});

const rpc = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });

/** The answer of a request, which may come as a stream of events. */
async function resultOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  const data = text.split("\n").findLast((line) => line.startsWith("data: {"));
  return JSON.parse(data === undefined ? text : data.slice("data: ".length)) as Record<string, unknown>;
}

describe("two fronts of one fleet", () => {
  it("go on with each other's MCP sessions, and only for their own principal", async () => {
    const hello = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const greeted = await ask(one, "/mcp", rpc(1, "initialize", hello));
    await greeted.text();
    const session = { "mcp-session-id": greeted.headers.get("mcp-session-id") ?? "" };
    const listed = await resultOf(await ask(other, "/mcp", rpc(2, "tools/list", {}), session));
    expect(JSON.stringify(listed)).toContain("current_time");
    const [here, there] = await Promise.all(
      [one, other].map((server, n) =>
        ask(server, "/mcp", rpc(3 + n, "tools/call", { name: "current_time", arguments: {} }), session).then(
          resultOf,
        ),
      ),
    );
    for (const answer of [here, there]) expect(JSON.stringify(answer)).toContain("iso");
    const { mcpToken } = one;
    const stranger = await ask(other, "/mcp", rpc(5, "tools/list", {}), {
      ...session,
      authorization: `Bearer ${mcpToken}`,
    });
    expect(stranger.status).toBe(404);
    expect((await ask(other, "/mcp", rpc(6, "tools/list", {}), { "mcp-session-id": "nobody" })).status).toBe(
      404,
    );
  });

  it("let a session go without ending it for the other, until its host ends it", async () => {
    const hello = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "u", version: "1" },
    };
    const greeted = await ask(one, "/mcp", rpc(1, "initialize", hello));
    await greeted.text();
    const session = { "mcp-session-id": greeted.headers.get("mcp-session-id") ?? "" };
    const call = async (server: RunningServer, name: string, args: object): Promise<string> =>
      JSON.stringify(
        await resultOf(await ask(server, "/mcp", rpc(2, "tools/call", { name, arguments: args }), session)),
      );
    await call(one, "set_env", { key: "COLOR", value: "green" });
    // Each front knows the hosts that came to it, and the address at which they did.
    const hostsAt = async (server: RunningServer): Promise<string> =>
      (await ask(server, "/api/hosts")).text();
    expect(await hostsAt(one)).toContain('"u"');
    expect(await hostsAt(other)).not.toContain('"u"');
    expect(await (await ask(other, "/api/endpoints")).json()).toMatchObject([{ url: `${other.url}/mcp` }]);
    // Another front of the same fleet, which then goes away with all its sessions.
    const { root, tenant, faults } = fleet;
    const config = { database: await testPostgres(), fleet: { nats: nats.url, tenant } };
    const third = await openHttpFront({
      root,
      name: "third",
      config,
      onFault: (cause) => faults.push(cause),
    });
    expect(await call(third.server, "get_env", { key: "COLOR" })).toContain("green");
    await third.close();
    expect(await call(one, "get_env", { key: "COLOR" })).toContain("green");
    const ended = await fetch(`${other.url}/mcp`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${frontToken}`, ...session },
    });
    expect(ended.status).toBe(200);
    await expect.poll(async () => (await ask(one, "/mcp", rpc(3, "ping", {}), session)).status).toBe(404);
  });

  it("share users and their tokens, whichever of them they were added at", async () => {
    const added = await ask(one, "/api/users", { name: "carol", role: "viewer" });
    expect(added.status).toBe(200);
    const made = await ask(one, "/api/tokens", { name: "carol-laptop", user: "carol" });
    const { secret } = (await made.json()) as { secret: string };
    const own = { authorization: `Bearer ${secret}` };
    const listed = await ask(other, "/api/tools", undefined, own);
    expect([made.status, listed.status]).toEqual([200, 200]);
    const folder = { arguments: { path: "b" } };
    const refused = await (await ask(other, "/api/tools/make_directory/call", folder, own)).json();
    expect(refused).toMatchObject({ error: { code: "ACCESS_DENIED" } });
    expect(await (await ask(other, "/api/users")).text()).toContain("carol");
  });

  it("store secrets with the worker of the workspace, whose MCP servers are given them", async () => {
    const value = "a-secret-of-the-fleet";
    const stored = await fetch(`${one.url}/api/secrets/API_KEY`, {
      method: "PUT",
      headers: { authorization: `Bearer ${frontToken}`, "content-type": "application/json" },
      body: JSON.stringify({ value }),
    });
    expect(stored.status).toBe(200);
    expect(await (await ask(other, "/api/secrets")).text()).toContain("API_KEY");
    const answer = await (await ask(other, "/api/tools/vault%3Adigest/call", { arguments: {} })).text();
    expect(answer).toContain(createHash("sha256").update(value).digest("hex"));
    expect(answer).not.toContain(value);
  });

  it("point hosts to a page of a front that can answer, whatever the worker's clock says", async () => {
    const headers = { "mcp-protocol-version": "2025-11-25" };
    const hello = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "host", version: "1" },
    };
    const opened = await ask(one, "/mcp", rpc(1, "initialize", hello), headers);
    const session = { ...headers, "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    await opened.text();
    const call = await ask(
      one,
      "/mcp",
      rpc(2, "tools/call", {
        name: "make_directory",
        arguments: { path: "refused" },
        _meta: { progressToken: 1 },
      }),
      session,
    );
    const waiting = async (): Promise<{ id: string }[]> => (await ask(one, "/api/approvals")).json() as never;
    await expect.poll(async () => (await waiting()).length, { timeout: underLoad(20_000) }).toBe(1);
    const [{ id } = { id: "" }] = await waiting();
    await ask(one, `/api/approvals/${id}`, { verdict: "no" });
    const told = await call.text();
    expect([one, other].filter(({ url }) => told.includes(`consent: ${url}/#/approvals/${id}`))).toHaveLength(
      1,
    );

    const isFast = (): number => Date.now() + 120_000;
    const page = await fetch(`${one.url}/api/feed`, { headers: { authorization: `Bearer ${frontToken}` } });
    await expect
      .poll(() => isFast() - (seenConsole(worker.roster, isFast)?.pageSeenAt ?? 0), {
        timeout: underLoad(10_000),
      })
      .toBeLessThan(underLoad(5000));
    expect(seenConsole(worker.roster, isFast)?.url).toBe(one.url);
    await page.body?.cancel();
  });

  it("show and answer approvals of each other, once, and the log and changes of all", async () => {
    const call = ask(one, "/api/tools/write_file/call", { arguments: { path: "a.txt", content: "hello\n" } });
    const waiting = async (): Promise<{ id: string; workspace: string }[]> =>
      (await ask(other, "/api/approvals")).json() as never;
    await expect.poll(async () => (await waiting()).length, { timeout: underLoad(20_000) }).toBe(1);
    const [{ id, workspace } = { id: "", workspace: "" }] = await waiting();
    expect(workspace).toBe("main");
    const answers = await Promise.all(
      [one, other].map((server) => ask(server, `/api/approvals/${id}`, { verdict: "once" })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)[0]).toBe(200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await (await call).json()).toSucceed();
    const log = (await (await ask(other, "/api/log?tool=write_file")).json()) as {
      records: { callId: string }[];
    };
    expect(log.records).toHaveLength(1);
    const changes = (await (await ask(other, "/api/changes")).json()) as { path: string }[];
    expect(changes.map(({ path }) => path)).toEqual(["a.txt"]);
    const metrics = await (await ask(other, "/metrics")).text();
    expect(metrics).toMatch(/tenon_fleet_workers 1\n/);
    expect(metrics).toMatch(/tenon_fleet_free_slots\{label=""\} 6\d/);
  });

  it(
    "wait for a person as long as it takes, whatever limit the call has",
    async () => {
      const connection = await connect({ servers: nats.url });
      const asked = connection.subscribe(`tenon.${fleet.tenant}.worker.*.taken`, { callback: () => {} });
      const call = ask(one, "/api/tools/make_directory/call", {
        arguments: { path: "late" },
        timeoutMs: 3000,
      });
      // Its limit is over, and the front has asked after it more than once.
      await expect.poll(() => asked.getReceived(), { timeout: underLoad(30_000) }).toBeGreaterThan(1);
      const [{ id } = { id: "" }] = (await (await ask(one, "/api/approvals")).json()) as { id: string }[];
      await ask(one, `/api/approvals/${id}`, { verdict: "once" });
      expect(await (await call).json()).toSucceed();
      await connection.close();
    },
    underLoad(40_000),
  );

  it("answer 503 with Retry-After while NATS is away, and work again when it is back, though it lost its streams", async () => {
    const { bus } = (await fleet.front()).front;
    const sent: Msg[] = [];
    bus.connection.subscribe(bus.names.allCalls, { callback: (_error, message) => void sent.push(message) });
    await bus.connection.flush();
    expect((await ask(one, "/api/tools/current_time/call", { arguments: { timezone: "UTC" } })).status).toBe(
      200,
    );
    await nats.forget();
    await expect.poll(async () => (await ask(one, "/api/tools/current_time/call", {})).status).toBe(503);
    const began = performance.now();
    const refused = await ask(other, "/mcp", rpc(1, "ping", {}));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    expect(performance.now() - began).toBeLessThan(underLoad(1000));
    await nats.start();
    const works = async (): Promise<boolean | undefined> => {
      const response = await ask(other, "/api/tools/current_time/call", {});
      return ((await response.json()) as { success?: boolean }).success;
    };
    await expect.poll(works, { timeout: underLoad(20_000) }).toBe(true);
    // The stream that dropped repeated calls is gone, so somebody sends one again: the log knows it.
    const { subject, data, headers } = sent[0] ?? expect.fail("no call was heard");
    await bus.jetstream.publish(subject, data, { ...(headers !== undefined && { headers }) });
    await expect.poll(async () => (await bus.manager.streams.info(bus.names.calls)).state.messages).toBe(0);
    await works();
    const log = await worker.owned.get("main")?.tenon.audit.search({ tool: "current_time", limit: 100 });
    expect(log?.filter((record) => JSON.stringify(record.arguments).includes("UTC"))).toHaveLength(1);
  });
});
