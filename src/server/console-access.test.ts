import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { consoleHeader, pageHeader } from "./api.js";
import { openTestServer, type SignedIn, type TestServer } from "./testing/open-server.js";
import { underLoad } from "../../test/setup/under-load.js";

let at: TestServer;
afterEach(() => at.close());

const chrome =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
const firefox = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0";

const pathOf = (link: string): string => link.slice(at.server.url.length);
const read = (path: string, headers: Readonly<Record<string, string>>) =>
  at.ask(path, { bare: true, headers });
const change = (method: string, path: string, { headers }: SignedIn) =>
  at.ask(path, { method, bare: true, headers: { ...headers, origin: at.server.url, [consoleHeader]: "1" } });

describe("a one-time link", () => {
  it("lets one browser in, once, and tells the next how to get another", async () => {
    at = await openTestServer();
    const { link, expiresAt } = at.server.createLink();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enter\?code=[\w-]{43}$/);
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(60_000);
    // Looking at it does not use it up, and another site cannot use it.
    expect((await at.ask(pathOf(link), { method: "HEAD", bare: true })).status).toBe(401);
    const image = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await read(pathOf(link), image)).status).toBe(403);
    expect((await read(pathOf(link), { "sec-purpose": "prefetch;prerender" })).status).toBe(503);
    const first = await read(pathOf(link), {});
    expect(first.status).toBe(200);
    expect(first.headers["set-cookie"]?.[0]).toMatch(
      /^tenon_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(first.headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "no-referrer" });
    const second = await read(pathOf(link), { accept: "text/html" });
    expect(second.status).toBe(401);
    expect(second.headers["set-cookie"]).toBeUndefined();
    expect(second.text).toContain("tenon serve link");
    expect(second.text).not.toContain(new URL(link).searchParams.get("code"));
  });

  it("is let in only once when two use it in the same moment", async () => {
    at = await openTestServer();
    const { link } = at.server.createLink();
    const replies = await Promise.all(Array.from({ length: 8 }, () => read(pathOf(link), {})));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("is of no use after a minute", async () => {
    let now = Date.now();
    at = await openTestServer({ now: () => now });
    const [early, late] = [at.server.createLink(), at.server.createLink()];
    now += 59_000;
    expect((await read(pathOf(early.link), {})).status).toBe(200);
    now += 2000;
    expect((await read(pathOf(late.link), {})).status).toBe(401);
  });

  it("cannot be guessed at any speed, and guesses keep nobody out", async () => {
    at = await openTestServer();
    const { link } = at.server.createLink();
    const statuses: number[] = [];
    for (let guess = 0; guess < 30; guess++)
      statuses.push((await read(`/enter?code=guess-${guess}`, {})).status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const late = await read("/api/about", { authorization: "Bearer guess" });
    expect(late.status).toBe(429);
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(0);
    expect((await at.ask("/api/about")).status).toBe(200);
    expect((await read(pathOf(link), {})).status).toBe(200);
  });

  it("does not stand in the line of a request", async () => {
    const paths: string[] = [];
    at = await openTestServer({ onRequest: ({ path }) => paths.push(path) });
    await at.signIn();
    await expect.poll(() => paths).toContain("/enter");
    expect(paths.join()).not.toContain("code");
  });

  it("is made by programs and the command line, not by a page or an MCP host", async () => {
    at = await openTestServer();
    const { link } = (await at.post("/api/links")).body as { link: string };
    expect((await read(pathOf(link), {})).status).toBe(200);
    const post = (key: string) =>
      at.ask("/api/links", { method: "POST", headers: { authorization: `Bearer ${key}` } });
    expect((await post(at.server.controlKey)).status).toBe(200);
    expect((await post(at.server.mcpToken)).status).toBe(403);
    expect((await change("POST", "/api/links", await at.signIn())).status).toBe(403);
    const control = { authorization: `Bearer ${at.server.controlKey}` };
    for (const path of ["/api/about", "/api/approvals", "/", "/mcp", "/metrics", "/api/sessionsx"])
      expect((await at.ask(path, { headers: control })).status).toBe(403);
  });
});

describe("a browser's session", () => {
  it("needs the page's secret beside the cookie for all but the page's files", async () => {
    at = await openTestServer();
    const { cookie, secret, headers } = await at.signIn();
    const other = await at.signIn();
    expect((await read("/api/calls", headers)).status).toBe(200);
    expect((await read("/", { cookie })).status).toBe(200);
    // What another port of the machine is sent opens nothing, and neither does one browser's half with another's.
    for (const half of [{ cookie }, { [pageHeader]: secret }, { cookie, [pageHeader]: other.secret }])
      for (const path of ["/api/calls", "/api/feed", "/api/approvals", "/api/sessions", "/metrics", "/mcp"])
        expect((await read(path, half)).status).toBe(401);
    expect((await read("/", { [pageHeader]: secret })).status).toBe(401);
    expect((await read("/health", { cookie })).body).toEqual({ status: "ok" });
    // A page at another port can plant a cookie of the same name, and the browser may send that one first.
    const [name = ""] = cookie.split("=");
    expect((await read("/api/calls", { ...headers, cookie: `${name}=planted; ${cookie}` })).status).toBe(200);
    expect((await read("/api/calls", { ...headers, cookie: `other=${cookie.split("=")[1]}` })).status).toBe(
      401,
    );
  });

  it("has a cookie of its own behind each name and port", async () => {
    at = await openTestServer();
    const direct = await at.signIn();
    const tunnel = await at.signIn({ host: "localhost:9999" });
    expect(direct.cookie).toMatch(new RegExp(`^tenon_${at.server.port}=`));
    expect(tunnel.cookie).toMatch(/^tenon_9999=/);
    const jar = { ...tunnel.headers, cookie: `${direct.cookie}; ${tunnel.cookie}` };
    expect((await read("/api/calls", { ...jar, host: "localhost:9999" })).status).toBe(200);
    expect((await read("/api/calls", jar)).status).toBe(401);
  });

  it("is listed with its browser and can be ended, which cuts its feed", async () => {
    at = await openTestServer();
    const one = await at.signIn({ "user-agent": chrome });
    const two = await at.signIn({ "user-agent": firefox });
    const rows = (await read("/api/sessions", one.headers)).body as { id: string }[];
    expect(rows).toMatchObject([
      { browser: "Firefox on macOS", address: "127.0.0.1", current: false },
      { browser: "Chrome on Linux", address: "127.0.0.1", current: true },
    ]);
    expect(JSON.stringify(rows)).not.toContain(one.secret);
    const feed = await openFeed(two);
    const began = performance.now();
    expect((await at.ask(`/api/sessions/${rows[0]?.id}`, { method: "DELETE" })).status).toBe(200);
    await feed.ended;
    expect(performance.now() - began).toBeLessThan(underLoad(5000));
    expect((await read("/api/calls", two.headers)).status).toBe(401);
    expect((await read("/", two.headers)).status).toBe(401);
    expect((await read("/api/calls", one.headers)).status).toBe(200);
    expect((await at.ask(`/api/sessions/${rows[0]?.id}`, { method: "DELETE" })).status).toBe(404);
  });

  it("ends when its person signs out, and that is answered", async () => {
    at = await openTestServer();
    const one = await at.signIn();
    const feed = await openFeed(one);
    const reply = await change("POST", "/api/sign-out", one);
    expect(reply).toMatchObject({ status: 200, body: { ended: true } });
    expect(reply.headers["set-cookie"]?.[0]).toContain("Max-Age=0");
    await feed.ended;
    expect((await read("/api/calls", one.headers)).status).toBe(401);
  });

  it("ends when it was idle, when it is old, when the browser comes in again, and when there are too many", async () => {
    let now = Date.now();
    at = await openTestServer({ now: () => now, access: { idleMs: 1000, lifetimeMs: 5000, maxSessions: 2 } });
    const status = async ({ headers }: SignedIn) => (await read("/api/calls", headers)).status;
    const idle = await at.signIn();
    now += 1500;
    expect(await status(idle)).toBe(401);
    const busy = await at.signIn();
    for (let step = 0; step < 5; step++) {
      now += 900;
      expect(await status(busy)).toBe(200);
    }
    now += 900;
    expect(await status(busy)).toBe(401);
    const first = await at.signIn();
    const again = await at.signIn({ cookie: first.cookie });
    expect([await status(first), await status(again)]).toEqual([401, 200]);
    now += 10;
    const [second, third] = [await at.signIn(), await at.signIn()];
    expect([await status(again), await status(second), await status(third)]).toEqual([401, 200, 200]);
  });
});

/** The feed as the page reads it. */
async function openFeed({ headers }: SignedIn): Promise<{ readonly ended: Promise<unknown> }> {
  const outgoing = request({
    host: "127.0.0.1",
    port: at.server.port,
    path: "/api/feed",
    headers,
    agent: false,
  });
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  outgoing.on("error", () => {});
  response.on("error", () => {});
  response.resume();
  return { ended: new Promise((resolve) => response.once("close", resolve)) };
}
