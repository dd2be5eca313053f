import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openTestServer, type TestServer } from "./testing/open-server.js";
import { readFeed } from "./testing/read-feed.js";
import { underLoad } from "../../test/setup/under-load.js";

let at: TestServer;
const sockets: Heard[] = [];
afterEach(async () => {
  for (const { socket } of sockets.splice(0)) socket.destroy();
  await at.close();
});

interface Heard {
  readonly socket: Socket;
  text: string;
  closed: boolean;
}

/** A connection that sends something, and what it hears. */
async function dial(bytes = ""): Promise<Heard> {
  const socket = connect(at.server.port, "127.0.0.1");
  const heard: Heard = { socket, text: "", closed: false };
  sockets.push(heard);
  socket.setEncoding("utf8").on("data", (text: string) => (heard.text += text));
  socket.on("error", () => {}).on("close", () => (heard.closed = true));
  await once(socket, "connect");
  socket.write(bytes);
  return heard;
}

describe("connections that send no request", () => {
  it("lock nobody out, however many there are, and are told when they give way", async () => {
    at = await openTestServer();
    const slow: Heard[] = [];
    for (let count = 0; count < 600; count++)
      slow.push(await dial(count % 2 === 0 ? "" : "GET / HTTP/1.1\r\nX-"));
    const began = performance.now();
    expect((await at.ask("/api/about")).status).toBe(200);
    expect((await at.ask("/health", { bare: true })).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(underLoad(10_000));
    await expect.poll(() => slow.filter(({ closed }) => closed).length).toBeGreaterThan(500);
    const left = slow.filter(({ closed }) => closed);
    for (const { text } of left) {
      expect(text).toMatch(/^HTTP\/1\.1 503 /);
      expect(text).toMatch(/\r\nretry-after: \d+\r\n/);
    }
  });

  it("are not taken for what many that come at once are", async () => {
    at = await openTestServer({ limits: { halfOpenGraceMs: 30_000 } });
    const many: Heard[] = [];
    for (let count = 0; count < 200; count++) many.push(await dial());
    for (const { socket } of many)
      socket.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${at.server.port}\r\n\r\n`);
    const answered = (): number => many.filter(({ text }) => text.startsWith("HTTP/1.1 200")).length;
    await expect.poll(answered).toBe(200);
  });

  it("give way to others before connections that are in use", async () => {
    at = await openTestServer({ limits: { maxConnections: 6 } });
    const feeds = await Promise.all([readFeed(at.server), readFeed(at.server), readFeed(at.server)]);
    const slow = await Promise.all([dial("GET /"), dial("GET /"), dial("GET /")]);
    expect((await at.ask("/api/calls")).status).toBe(200);
    await expect.poll(() => slow.some(({ text }) => text.startsWith("HTTP/1.1 503"))).toBe(true);
    await at.post("/api/tools/current_time/call", { arguments: {} });
    for (const feed of feeds) {
      await feed.until(({ items }) => items.length > 0);
      feed.stop();
    }
  });
});

describe("more connections than there is room for", () => {
  it("are answered with 503 and when to try again, and idle ones make room", async () => {
    at = await openTestServer({ limits: { maxConnections: 3 } });
    const agent = new Agent({ keepAlive: true });
    await getBy(agent, "/health");
    const feeds = [await readFeed(at.server), await readFeed(at.server)];
    // The idle one makes room for this one.
    const third = await readFeed(at.server);
    const refused = await at.ask("/api/calls");
    expect(refused.status).toBe(503);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(refused.body.error.code).toBe("TOO_MANY_CONNECTIONS");
    third.stop();
    await expect.poll(async () => (await at.ask("/api/calls")).status).toBe(200);
    for (const feed of feeds) feed.stop();
    agent.destroy();
  });
});

async function getBy(agent: Agent, path: string): Promise<void> {
  const outgoing = request({ host: "127.0.0.1", port: at.server.port, path, agent });
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
}
