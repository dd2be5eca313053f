import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../src/contract/define-tool.js";
import { openTestServer, type TestServer } from "../src/server/testing/open-server.js";
import { openLooseWire } from "./console/loose-wire.js";
import { envelope } from "./mcp-fixture.js";

let at: TestServer;
afterEach(() => at.close());

const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
const rpc = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });

/** A tool that is done when the test says so, after it has reported as often as it was told. */
function openGate(more: { readonly reports?: number; readonly text?: string } = {}) {
  const gate = { started: false, aborted: false, finished: false, open: () => {} };
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const tool = defineTool({
    name: "gated",
    description: "Waits.",
    category: "custom",
    annotations: { readOnly: true },
    input: z.object({}),
    async execute(_input, ctx) {
      gate.started = true;
      ctx.signal.addEventListener("abort", () => (gate.aborted = true));
      for (let at = 0; at < (more.reports ?? 0); at++) {
        ctx.emit({ progress: at + 1, message: more.text ?? "" });
        if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await opened;
      gate.finished = true;
      return { answer: "kept" };
    },
  });
  return { gate, tool };
}

interface Stream {
  readonly response: IncomingMessage;
  /** All that came so far. */
  text(): string;
  readonly ended: Promise<void>;
  cut(): void;
}

/** A request over a socket of its own. */
async function send(method: string, headers: Record<string, string>, body?: unknown): Promise<Stream> {
  const outgoing = request({
    host: "127.0.0.1",
    port: at.server.port,
    path: "/mcp",
    method,
    agent: false,
    headers: {
      authorization: `Bearer ${at.server.mcpToken}`,
      accept: "application/json, text/event-stream",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
  });
  outgoing.on("error", () => {});
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  let text = "";
  response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  response.on("error", () => {});
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  return { response, text: () => text, ended, cut: () => outgoing.destroy() };
}

async function greet(): Promise<Record<string, string>> {
  const { response, ended } = await send("POST", {}, rpc(1, "initialize", hello));
  await ended;
  expect(response.statusCode).toBe(200);
  return {
    "mcp-session-id": String(response.headers["mcp-session-id"]),
    "mcp-protocol-version": "2025-11-25",
  };
}

const lastIdIn = (text: string): string => [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? "";

describe("a stream of MCP that is cut", () => {
  it("loses no result: the host goes on after the last event it saw, while the call runs and after", async () => {
    at = await openTestServer();
    const { gate, tool } = openGate({ reports: 3, text: "on the way" });
    at.tenon.register(tool);
    const headers = await greet();
    const call = rpc(7, "tools/call", { name: "gated", arguments: {}, _meta: { progressToken: "p" } });
    const first = await send("POST", headers, call);
    await expect.poll(() => first.text().match(/on the way/g)?.length).toBe(3);
    const seen = [...first.text().matchAll(/^id: (\S+)$/gm)].map(([, id]) => String(id));
    expect(seen).toHaveLength(4); // one that only says where to go on, and three reports
    first.cut();
    await first.ended;
    // It comes back while the call runs, and is cut again before the answer.
    const second = await send("GET", { ...headers, "last-event-id": seen[1] ?? "" });
    await expect.poll(() => second.text().match(/on the way/g)?.length).toBe(2);
    second.cut();
    await second.ended;
    gate.open();
    await expect.poll(() => gate.finished).toBe(true);
    expect(gate.aborted).toBe(false);
    for (const from of [seen[0], lastIdIn(second.text())]) {
      const third = await send("GET", { ...headers, "last-event-id": from ?? "" });
      await expect.poll(() => third.text()).toContain('"answer":"kept"');
      await third.ended;
      expect(third.text().match(/on the way/g)?.length ?? 0).toBe(from === seen[0] ? 3 : 0);
    }
  });

  it("goes on by itself in the SDK's client, through a wire that is pulled out", async () => {
    at = await openTestServer();
    const { gate, tool } = openGate();
    at.tenon.register(tool);
    const wire = await openLooseWire(at.server.url);
    const client = new Client({ name: "t", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(`${wire.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${at.server.mcpToken}` } },
      reconnectionOptions: {
        initialReconnectionDelay: 50,
        maxReconnectionDelay: 200,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: 100,
      },
    });
    await client.connect(transport);
    let place: string | undefined;
    const options = { onresumptiontoken: (token: string) => (place = token) };
    const answer = client.callTool({ name: "gated", arguments: {} }, options);
    await expect.poll(() => gate.started && place !== undefined).toBe(true);
    wire.pull();
    gate.open();
    await expect.poll(() => gate.finished).toBe(true);
    wire.plug();
    expect((await answer).structuredContent).toEqual({ answer: "kept" });
    await client.close();
    wire.close();
  });

  it("cannot be taken up by another session, nor after an event that is unknown", async () => {
    at = await openTestServer();
    const { gate, tool } = openGate();
    at.tenon.register(tool);
    const [one, other] = [await greet(), await greet()];
    const call = await send("POST", one, rpc(2, "tools/call", { name: "gated", arguments: {} }));
    await expect.poll(() => gate.started && lastIdIn(call.text()) !== "").toBe(true);
    const id = lastIdIn(call.text());
    call.cut();
    gate.open();
    await expect.poll(() => gate.finished).toBe(true);
    const stolen = await send("GET", { ...other, "last-event-id": id });
    await stolen.ended;
    expect(stolen.text()).not.toContain('"answer"');
    for (const unknown of ["9999.1", "1.9999", "x", "1", "-1.0"]) {
      const reply = await send("GET", { ...one, "last-event-id": unknown });
      expect(reply.response.statusCode).toBe(400);
    }
  });

  it("ends the request in 2026-07-28, which cannot be taken up again", async () => {
    at = await openTestServer();
    const { gate, tool } = openGate({ reports: 1, text: "on the way" });
    at.tenon.register(tool);
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "gated" };
    const _meta = { ...envelope(), progressToken: "p" };
    const call = await send("POST", headers, rpc(1, "tools/call", { name: "gated", arguments: {}, _meta }));
    await expect.poll(() => call.text()).toContain("on the way");
    expect(call.text()).not.toMatch(/^id: /m);
    call.cut();
    await expect.poll(() => gate.aborted).toBe(true);
  });
});

describe("a host that is gone", () => {
  it("leaves nothing for people to answer after some seconds, and its other calls go on", async () => {
    at = await openTestServer();
    const { gate, tool } = openGate();
    at.tenon.register(tool);
    const headers = await greet();
    const call = (id: number, name: string, args: object) =>
      send("POST", headers, rpc(id, "tools/call", { name, arguments: args }));
    const streams = [
      await call(1, "gated", {}),
      await call(2, "write_file", { path: "a.txt", content: "x" }),
      await call(3, "ask_user", { question: "Really?" }),
    ];
    const waiting = async () =>
      [...(await at.ask("/api/approvals")).body, ...(await at.ask("/api/questions")).body].length;
    await expect.poll(waiting).toBe(2);
    await expect.poll(() => lastIdIn(streams[0]?.text() ?? "")).not.toBe("");
    for (const stream of streams) stream.cut();
    await expect.poll(waiting).toBe(0);
    expect(gate.aborted).toBe(false);
    gate.open();
    const again = await send("GET", { ...headers, "last-event-id": lastIdIn(streams[0]?.text() ?? "") });
    await expect.poll(() => again.text()).toContain('"answer":"kept"');
  });
});

describe("a host that reads nothing", () => {
  it("costs little memory, is let go, and finds its result when it comes back", async () => {
    let ended = 0;
    const onRequest = ({ path }: { readonly path: string }): void => void (path === "/mcp" && ended++);
    at = await openTestServer({ limits: { stalledMs: 500 }, onRequest });
    const { gate, tool } = openGate({ reports: 4000, text: "x".repeat(16_000) });
    at.tenon.register(tool);
    const headers = await greet();
    const call = rpc(7, "tools/call", { name: "gated", arguments: {}, _meta: { progressToken: "p" } });
    const before = bytesInUse();
    const stream = await send("POST", headers, call);
    await expect.poll(() => stream.text()).toContain("id: ");
    const id = /^id: (\S+)$/m.exec(stream.text())?.[1] ?? "";
    stream.response.pause();
    gate.open();
    await expect.poll(() => gate.finished).toBe(true);
    // 4,000 reports of 16 kB are 64 MB; 8 MB are kept, and what waits for the host is 1 MB, and a little in the socket.
    expect(bytesInUse() - before).toBeLessThan(16_000_000);
    // The server hangs up by itself.
    await expect.poll(() => ended).toBe(2);
    stream.cut();
    const again = await send("GET", { ...headers, "last-event-id": id });
    await expect.poll(() => again.text()).toContain('"answer":"kept"');
    expect(again.text().length).toBeLessThan(9_000_000);
  });
});

function bytesInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  // The memory of dead buffers is given back by another thread; the next collection waits for it.
  collect();
  return process.memoryUsage().arrayBuffers;
}
