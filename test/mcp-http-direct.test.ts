import * as fc from "fast-check";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { defineTool } from "../src/contract/define-tool.js";
import { HttpCalls } from "../src/mcp/server/http-calls.js";
import { HttpClient } from "../src/mcp/server/http-client.js";
import type * as plainCall from "../src/mcp/server/plain-call.js";
import { openHttpFixture, type HttpFixture } from "./conformance/http-fixture.js";
import { envelope, openMcpFixture, type McpFixture } from "./mcp-fixture.js";
import { isLongRun } from "./setup/random-cases.js";

/** With `off` every request is answered through the SDK's transports. */
const direct = vi.hoisted(() => ({ off: false }));
vi.mock("../src/mcp/server/plain-call.js", async (load) => {
  const real = await load<typeof plainCall>();
  return {
    ...real,
    readPlainCall: (message: never) => (direct.off ? undefined : real.readPlainCall(message)),
  };
});

const maxBody = 4096;
let fixture: McpFixture;
let http: HttpFixture;
beforeAll(async () => {
  fixture = openMcpFixture({ config: { approvals: { channels: ["host"] } } });
  fixture.tenon.register(slowTool);
  http = await openHttpFixture(fixture.host, { maxBodyBytes: maxBody });
});
afterAll(async () => {
  await http.close();
  await fixture.close();
});

let waiting = 0;
/** Reports three times, waits to be cancelled where it is told to, and answers. */
const slowTool = defineTool({
  name: "slow",
  description: "Takes its time.",
  category: "custom",
  annotations: { readOnly: true },
  input: z.object({ wait: z.boolean().default(false), fail: z.string().optional() }),
  async execute({ wait, fail }, ctx) {
    for (let at = 1; at <= 3; at++) ctx.emit({ progress: at, total: 3, message: `step ${at}` });
    await new Promise((resolve) => setImmediate(resolve));
    waiting++;
    if (wait) await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve, { once: true }));
    waiting--;
    if (fail !== undefined) throw new Error(fail);
    return { done: true };
  },
});

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Said instead of the body as JSON. */
  readonly text?: string | Buffer;
  /** The length is not told beforehand. */
  readonly chunked?: boolean;
}

interface Stream {
  readonly response: IncomingMessage;
  /** All that came so far. */
  text(): string;
  readonly ended: Promise<void>;
  cut(): void;
}

async function open({ method = "POST", headers = {}, body, text, chunked }: Asked): Promise<Stream> {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const all: Record<string, string | undefined> = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    authorization: "one",
    ...(sent !== undefined && chunked !== true && { "content-length": String(Buffer.byteLength(sent)) }),
    ...headers,
  };
  const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const outgoing = request(http.url, { method, agent: false, headers: present });
  outgoing.on("error", () => {});
  outgoing.end(sent);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  let received = "";
  response.setEncoding("utf8").on("data", (piece: string) => (received += piece));
  response.on("error", () => {});
  const ended = new Promise<void>((resolve) => response.once("close", resolve));
  return { response, text: () => received, ended, cut: () => outgoing.destroy() };
}

/** Status, headers and messages, without what differs from one request to the next. */
function shown(stream: Stream): unknown {
  const { response } = stream;
  const { "mcp-session-id": session, ...headers } = response.headers;
  for (const name of ["date", "content-length", "transfer-encoding", "connection", "keep-alive"])
    delete headers[name];
  return {
    status: response.statusCode,
    headers,
    inSession: session !== undefined,
    body: readBody(stream.text()),
  };
}

function readBody(text: string): unknown {
  const plain = text
    .replace(/"tenon\/callId":"[^"]*"/g, '"tenon/callId":"…"')
    .replace(/"(?:durationMs|queuedMs|ms)":[\d.]+/g, '"ms":0')
    .replace(/"(?:callId|requestState)":"[^"]*"/g, '"id":"…"')
    .replace(/"inputRequests":\{"[^"]*"/g, '"inputRequests":{"…"');
  if (!/^(?:event|id|data|:)/.test(plain)) return plain === "" ? "" : (JSON.parse(plain) as unknown);
  return plain
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) =>
      frame.split("\n").map((line) => {
        const data = line.startsWith("data: ") ? line.slice(6) : "";
        return data === "" ? line : (JSON.parse(data) as unknown);
      }),
    );
}

/** Run a conversation past the SDK's transports, then through them. */
async function bothWays<T>(talk: () => Promise<T>): Promise<readonly [T, T]> {
  const answers: T[] = [];
  for (const off of [false, true]) {
    direct.off = off;
    try {
      answers.push(await talk());
    } finally {
      direct.off = false;
    }
  }
  return answers as [T, T];
}

async function expectSame(talk: () => Promise<unknown>): Promise<unknown> {
  const [past, through] = await bothWays(talk);
  expect(past).toEqual(through);
  return past;
}

async function ask(asked: Asked): Promise<unknown> {
  const stream = await open(asked);
  await stream.ended;
  return shown(stream);
}

type Headers = Readonly<Record<string, string | undefined>>;

async function greet(capabilities: object = {}, version = "2025-11-25"): Promise<Headers> {
  const params = { protocolVersion: version, capabilities, clientInfo: { name: "t", version: "1" } };
  const stream = await open({ body: { jsonrpc: "2.0", id: "hello", method: "initialize", params } });
  await stream.ended;
  const headers = {
    "mcp-session-id": String(stream.response.headers["mcp-session-id"]),
    "mcp-protocol-version": version,
  };
  await ask({ headers, body: { jsonrpc: "2.0", method: "notifications/initialized" } });
  return headers;
}

const call = (name: unknown, args?: unknown, more: object = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name, ...(args !== undefined && { arguments: args }), ...more },
});
const encode = call("base64_encode", { text: "hé" });
const modernHeaders = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" };
const modern = (name: string, args: unknown = {}, meta: object = {}) =>
  call(name, args, { _meta: { ...envelope(), ...meta } });

const bodies: Readonly<Record<string, unknown>> = {
  "a call": encode,
  "a call with a string for its id": { ...encode, id: "x" },
  "an empty id": { ...encode, id: "" },
  "a fraction for its id": { ...encode, id: 1.5 },
  "null for its id": { ...encode, id: null },
  "no id": { ...encode, id: undefined },
  "another version of JSON-RPC": { ...encode, jsonrpc: "1.0" },
  "a field that no request has": { ...encode, extra: true },
  "an unknown tool": call("nothing_such", {}),
  "an unknown method": { ...encode, method: "tools/nothing" },
  "a method that is not a string": { ...encode, method: 3 },
  "no params": { ...encode, params: undefined },
  "params that are a list": { ...encode, params: [] },
  "no name": call(undefined, {}),
  "a name that is not a string": call(3, {}),
  "no arguments": call("slow"),
  "arguments that are null": call("base64_encode", null),
  "arguments that are a list": call("base64_encode", ["x"]),
  "arguments that do not fit": call("base64_encode", { text: 3 }),
  "a field that no call has": call("base64_encode", { text: "x" }, { task: { ttl: 1 } }),
  "a tool that fails": call("slow", { fail: "broken" }),
  "a tool that is refused": call("read_file", { path: "../../etc/passwd" }),
  "a report of progress": call("slow", {}, { _meta: { progressToken: "p" } }),
  "a report of progress under a number": call("slow", {}, { _meta: { progressToken: 0 } }),
  "a progress token of the wrong type": call("slow", {}, { _meta: { progressToken: {} } }),
  "_meta that is not an object": call("slow", {}, { _meta: "x" }),
  "_meta of the host's own": call("slow", {}, { _meta: { "example.org/trace": "1" } }),
  "_meta of the other era": call("slow", {}, { _meta: envelope() }),
  "a key that is not a string": call("slow", {}, { _meta: { "tenon/idempotencyKey": 3 } }),
  "a batch of one": [encode],
  "a batch of a call and a notification": [encode, { jsonrpc: "2.0", method: "notifications/x" }],
  "a batch with the same id twice": [encode, encode],
  "an empty batch": [],
  "a notification": { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } },
  "an answer that nobody waits for": { jsonrpc: "2.0", id: 5, result: {} },
  "a number": 3,
  null: null,
};

const headerCases: Readonly<Record<string, Headers>> = {
  "no version": { "mcp-protocol-version": undefined },
  "an older version": { "mcp-protocol-version": "2025-06-18" },
  "the oldest version": { "mcp-protocol-version": "2024-11-05" },
  "an unknown version": { "mcp-protocol-version": "1999-01-01" },
  "the version of the other era": { "mcp-protocol-version": "2026-07-28" },
  "no session": { "mcp-session-id": undefined },
  "an unknown session": { "mcp-session-id": "nothing" },
  "an empty session": { "mcp-session-id": "" },
  "another client's token": { authorization: "two" },
  "JSON only": { accept: "application/json" },
  "events only": { accept: "text/event-stream" },
  anything: { accept: "*/*" },
  "no accept": { accept: undefined },
  "JSON with a charset": { "content-type": "application/json; charset=utf-8" },
  text: { "content-type": "text/plain" },
  "no type": { "content-type": undefined },
};

const texts: Readonly<Record<string, string | Buffer>> = {
  "broken JSON": '{"jsonrpc":',
  nothing: "",
  "a byte order mark": Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(encode))]),
  "bytes that are not UTF-8": Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', "latin1"),
  "too much": JSON.stringify(call("base64_encode", { text: "x".repeat(maxBody) })),
};

describe("a request of 2025-11-25 that is answered past the SDK", () => {
  it.each(Object.keys(bodies))("is answered as the SDK does: %s", async (name) => {
    await expectSame(async () => ask({ headers: await greet(), body: bodies[name] }));
  });

  it.each(Object.keys(headerCases))("is answered as the SDK does with headers: %s", async (name) => {
    await expectSame(async () =>
      ask({ headers: { ...(await greet()), ...headerCases[name] }, body: call("slow", {}) }),
    );
  });

  it.each(Object.keys(texts))("is answered as the SDK does, said or not how long: %s", async (name) => {
    for (const chunked of [false, true])
      await expectSame(async () => ask({ headers: await greet(), text: texts[name] ?? "", chunked }));
  });

  it("really is answered past the SDK", async () => {
    const answers = vi.spyOn(HttpCalls.prototype, "answer");
    await bothWays(async () => ask({ headers: await greet(), body: encode }));
    expect(answers).toHaveBeenCalledTimes(1);
    answers.mockRestore();
  });

  it("refuses an id that is in use, gives no answer when it is cancelled, and takes the id again", async () => {
    const seen = await expectSame(async () => {
      const headers = await greet();
      const stream = await open({
        headers,
        body: call("slow", { wait: true }, { _meta: { progressToken: 1 } }),
      });
      await expect.poll(() => stream.text()).toContain("step 3");
      const again = await ask({ headers, body: encode });
      const params = { requestId: 7, reason: "enough" };
      const cancelled = await ask({
        headers,
        body: { jsonrpc: "2.0", method: "notifications/cancelled", params },
      });
      const after = await ask({ headers, body: encode });
      const said = shown(stream);
      stream.cut();
      await stream.ended;
      const ended = await ask({ method: "DELETE", headers });
      return { again, cancelled, after, said, ended, gone: await ask({ headers, body: encode }) };
    });
    expect(seen).toMatchObject({ again: { status: 400 }, cancelled: { status: 202 }, gone: { status: 404 } });
  });

  it("asks the host on the stream of the call", async () => {
    const seen = await expectSame(async () => {
      const headers = await greet({ elicitation: {} });
      const asking = await open({ headers, body: call("ask_user", { question: "Really?" }) });
      await expect.poll(() => asking.text()).toContain("elicitation/create");
      const id = Number(
        /"id":(\d+),?[^}]*?/.exec(/data: (\{.*elicitation.*)/.exec(asking.text())?.[1] ?? "")?.[1],
      );
      const result = { action: "accept", content: { answer: "yes" } };
      const told = await ask({ headers, body: { jsonrpc: "2.0", id, result } });
      await asking.ended;
      return { told, said: shown(asking) };
    });
    expect(JSON.stringify(seen)).toContain("yes");
  });

  it("goes on after a cut, while it runs and afterwards", async () => {
    await expectSame(async () => {
      const headers = await greet();
      const first = await open({
        headers,
        body: call("slow", { wait: true }, { _meta: { progressToken: 1 } }),
      });
      await expect.poll(() => first.text()).toContain("step 3");
      first.cut();
      await first.ended;
      const place = /^id: (\S+)$/m.exec(first.text())?.[1] ?? "";
      const second = await open({ method: "GET", headers: { ...headers, "last-event-id": place } });
      await expect.poll(() => second.text()).toContain("step 3");
      const refused = await ask({
        method: "GET",
        headers: { ...headers, "last-event-id": place, accept: "application/json" },
      });
      await ask({ method: "DELETE", headers });
      await second.ended;
      return { first: shown(first), second: shown(second), refused };
    });
  });

  it("ends its stream and its call with the session", async () => {
    await expectSame(async () => {
      const headers = await greet();
      const stream = await open({ headers, body: call("slow", { wait: true }) });
      await expect.poll(() => stream.text()).toContain("retry: ");
      await ask({ method: "DELETE", headers });
      await stream.ended;
      await expect.poll(() => waiting).toBe(0);
      return shown(stream);
    });
  });
});

describe("a request of 2026-07-28 that is answered past the SDK", () => {
  const named = (name: string): Headers => ({ ...modernHeaders, "mcp-name": name });
  const cases: Readonly<Record<string, Asked>> = {
    "a call": { headers: named("base64_encode"), body: modern("base64_encode", { text: "x" }) },
    "a tool that fails": { headers: named("slow"), body: modern("slow", { fail: "broken" }) },
    "an unknown tool": { headers: named("nothing"), body: modern("nothing") },
    "arguments that do not fit": {
      headers: named("base64_encode"),
      body: modern("base64_encode", { text: 3 }),
    },
    progress: { headers: named("slow"), body: modern("slow", {}, { progressToken: "p" }) },
    "another name in the header": { headers: named("other"), body: modern("slow") },
    "a name in Base64": { headers: named("=?base64?c2xvdw==?="), body: modern("slow") },
    "no name in the header": { headers: modernHeaders, body: modern("slow") },
    "another method in the header": {
      headers: { ...named("slow"), "mcp-method": "x" },
      body: modern("slow"),
    },
    "no method in the header": {
      headers: { ...named("slow"), "mcp-method": undefined },
      body: modern("slow"),
    },
    "no version": { headers: { ...named("slow"), "mcp-protocol-version": undefined }, body: modern("slow") },
    "another version": {
      headers: { ...named("slow"), "mcp-protocol-version": "2025-11-25" },
      body: modern("slow"),
    },
    "no envelope": { headers: named("slow"), body: call("slow", {}) },
    "an envelope that is not whole": {
      headers: named("slow"),
      body: modern("slow", {}, { "io.modelcontextprotocol/clientCapabilities": undefined }),
    },
    "JSON only": { headers: { ...named("slow"), accept: "application/json" }, body: modern("slow") },
    "a host that cannot be asked": {
      headers: named("ask_user"),
      body: modern("ask_user", { question: "?" }),
    },
    "a host that can be asked": {
      headers: named("ask_user"),
      body: modern(
        "ask_user",
        { question: "?" },
        {
          "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
        },
      ),
    },
  };
  it.each(Object.keys(cases))("is answered as the SDK does: %s", async (name) => {
    await expectSame(async () => ask(cases[name] ?? {}));
  });

  it("really is answered past the SDK", async () => {
    const answers = vi.spyOn(HttpClient.prototype, "answer");
    await bothWays(async () => ask({ headers: named("slow"), body: modern("slow") }));
    expect(answers).toHaveBeenCalledTimes(1);
    answers.mockRestore();
  });

  it("is cancelled when the host hangs up", async () => {
    await bothWays(async () => {
      const body = modern("slow", { wait: true }, { progressToken: 1 });
      const stream = await open({ headers: named("slow"), body });
      await expect.poll(() => stream.text()).toContain("step 3");
      stream.cut();
      await expect.poll(() => waiting).toBe(0);
    });
  });
});

describe("any request", () => {
  it("is answered as the SDK does", async () => {
    const some = (...values: readonly unknown[]) => fc.constantFrom(...values);
    const version = some("2025-11-25", "2025-03-26", "2026-07-28", "x", undefined);
    const meta = some(undefined, {}, { progressToken: 1 }, { progressToken: 1.5 }, { a: {} }, [], envelope());
    const shape = fc.record({
      jsonrpc: some("2.0", "2.0", "2.0", 2),
      id: some(1, "1", -1, 2 ** 53, true, undefined),
      method: some("tools/call", "tools/call", "tools/call", "ping", "notifications/cancelled", ""),
      params: fc.record({
        name: some("slow", "base64_encode", "", {}, undefined),
        arguments: some({}, { text: "x" }, { fail: "x" }, [], "x", undefined),
        _meta: meta,
      }),
    });
    const headers = fc.record({
      "mcp-protocol-version": version,
      "mcp-method": some("tools/call", "tools/call", undefined),
      "mcp-name": some("slow", "base64_encode", undefined),
    });
    const asked = fc.asyncProperty(shape, headers, async (body, sent) => {
      await expectSame(async () => ask({ headers: { ...(await greet()), ...(sent as Headers) }, body }));
    });
    await fc.assert(asked, { numRuns: isLongRun ? 1000 : 40 });
  });
});
