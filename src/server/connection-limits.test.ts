import { createServer, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ConnectionLimits, type ConnectionLimitOptions } from "./connection-limits.js";

let server: Server;
let limits: ConnectionLimits;
let clients: Socket[] = [];
/** Requests that are not answered yet. */
let waiting: ServerResponse[] = [];

afterEach(async () => {
  for (const client of clients) client.destroy();
  [clients, waiting] = [[], []];
  await new Promise((done) => server.close(done));
});

async function open(options: ConnectionLimitOptions): Promise<void> {
  limits = new ConnectionLimits(options);
  server = createServer((request, response) => {
    if (!limits.admit(request, response)) return;
    if (request.url === "/wait") waiting.push(response);
    else response.end("ok");
  });
  server.on("connection", (socket) => limits.add(socket));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
}

interface Client {
  readonly socket: Socket;
  /** All that came so far. */
  readonly text: () => string;
  readonly ended: () => boolean;
}

/** A connection that the server knows of, which sent this. */
async function arrive(sent = ""): Promise<Client> {
  const before = limits.size;
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  clients.push(socket);
  let [text, ended] = ["", false];
  const known = new Promise<void>((done) => server.once("connection", () => done()));
  socket.setEncoding("utf8").on("data", (more: string) => (text += more));
  socket.on("end", () => (ended = true)).on("error", () => {});
  await known;
  expect(limits.size).toBeLessThanOrEqual(before + 1);
  socket.write(sent);
  return { socket, text: () => text, ended: () => ended };
}
const ask = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const askLong = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n";
const patience = { timeout: 5000, interval: 5 };

describe("too many connections", () => {
  it("let go of a slow one first, which is told why, and when to come back", async () => {
    await open({ maxConnections: 2 });
    const idle = await arrive(ask);
    await expect.poll(idle.text, patience).toContain("ok");
    const slow = await arrive("GET / HT");
    const third = await arrive(ask);
    await expect.poll(slow.ended, patience).toBe(true);
    const [head = "", body = ""] = slow.text().split("\r\n\r\n");
    expect(head.split("\r\n")).toEqual([
      "HTTP/1.1 503 Service Unavailable",
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      "retry-after: 1",
      "connection: close",
    ]);
    expect(JSON.parse(body)).toEqual({
      error: {
        code: "TOO_MANY_CONNECTIONS",
        message: "The server has too many connections.",
        hint: "Try again in a moment, and close connections that are not used.",
      },
    });
    await expect.poll(third.text, patience).toContain("ok");
    expect([idle.ended(), limits.size]).toEqual([false, 2]);
  });

  it("let go of the one that was idle longest next, without a word", async () => {
    await open({ maxConnections: 2 });
    const first = await arrive(ask);
    await expect.poll(first.text, patience).toContain("ok");
    const second = await arrive(ask);
    await expect.poll(second.text, patience).toContain("ok");
    // It is not the one that was idle longest any more.
    first.socket.write(ask);
    await expect.poll(() => first.text().split("ok").length, patience).toBe(3);
    const third = await arrive(ask);
    await expect.poll(second.ended, patience).toBe(true);
    expect(second.text()).not.toContain("503");
    await expect.poll(third.text, patience).toContain("ok");
    expect([first.ended(), limits.size]).toEqual([false, 2]);
  });

  it("answer a newcomer with 503 where all others are being answered", async () => {
    await open({ maxConnections: 1 });
    const busy = await arrive(askLong);
    await expect.poll(() => waiting.length, patience).toBe(1);
    const newcomer = await arrive(ask);
    await expect.poll(newcomer.ended, patience).toBe(true);
    expect(newcomer.text()).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*"TOO_MANY_CONNECTIONS"/);
    waiting[0]?.end("done");
    await expect.poll(busy.text, patience).toContain("done");
    await expect.poll(() => limits.size, patience).toBe(1);
  });

  it("are none up to the limit, and none once others have left", async () => {
    await open({ maxConnections: 2 });
    const first = await arrive("GET");
    const second = await arrive("GET");
    expect([limits.size, first.ended(), second.ended()]).toEqual([2, false, false]);
    first.socket.destroy();
    await expect.poll(() => limits.size, patience).toBe(1);
    const third = await arrive(ask);
    await expect.poll(third.text, patience).toContain("ok");
    expect(second.ended()).toBe(false);
  });
});

describe("connections of one address that send no whole request", () => {
  it("are let go after their time, the oldest first, until few enough are left", async () => {
    await open({ maxHalfOpen: 2, halfOpenGraceMs: 50 });
    const all = [await arrive("G"), await arrive("GE"), await arrive("GET"), await arrive("GET ")];
    await expect.poll(() => limits.size, patience).toBe(2);
    await expect.poll(() => all.map(({ ended }) => ended()), patience).toEqual([true, true, false, false]);
    expect(all[0]?.text()).toContain("503");
  });

  it("stay where they are not too many", async () => {
    await open({ maxHalfOpen: 2, halfOpenGraceMs: 1 });
    const all = [await arrive("G"), await arrive("GE")];
    await new Promise((done) => setTimeout(done, 20));
    expect([limits.size, ...all.map(({ ended }) => ended())]).toEqual([2, false, false]);
  });
});
