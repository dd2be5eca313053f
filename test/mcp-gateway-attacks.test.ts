import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMcpFixture, type LineHost, type McpFixture } from "./mcp-fixture.js";
import { underLoad } from "./setup/under-load.js";

type Fields = Readonly<Record<string, unknown>>;
interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

const fixture = join(import.meta.dirname, "fixtures/attack-server.mjs");
const answers: Fields = {
  "elicitation/create": { action: "accept", content: { name: "Ada" } },
  "sampling/createMessage": { role: "assistant", model: "m", content: { type: "text", text: "ok" } },
  "roots/list": { roots: [{ uri: "file:///work" }] },
};
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const program = (era: string) => ({ command: process.execPath, args: [fixture, "stdio", era] });
const names = ["evil", "new", "good", "future", "web", "asking"] as const;

let web: ChildProcess;
let mcp: McpFixture;
let host: LineHost;
let asked = 0;

beforeAll(async () => {
  web = spawn(process.execPath, [fixture, "http", "2025"], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = (await once(web.stdout!, "data")) as [Buffer];
  mcp = openMcpFixture({
    config: {
      policy: { rules: names.map((name) => ({ decision: "allow" as const, tool: `${name}:*` })) },
      network: { allowHosts: [`127.0.0.1:${Number(port)}`] },
      mcpServers: {
        evil: { ...program("2025"), timeoutMs: 3000 },
        asking: { ...program("2025"), timeoutMs: 4000 },
        new: { ...program("2026"), era: "2026", timeoutMs: 3000 },
        good: program("2025"),
        future: { ...program("future"), startTimeoutMs: 10_000 },
        web: { url: `http://127.0.0.1:${Number(port)}/mcp`, timeoutMs: 20_000 },
      },
    },
  });
  host = mcp.connect();
  host.answer = ({ method }) => {
    asked++;
    return answers[method ?? ""] as object | undefined;
  };
  await host.initialize(capabilities);
  await host.request("tools/list");
});
afterAll(async () => {
  await mcp?.close();
  web?.kill("SIGKILL");
});

const call = async (name: string, args: object = {}) => {
  const { result, error } = await host.request("tools/call", { name, arguments: args });
  const content = (result?.["content"] ?? []) as Block[];
  return { result, error, content, text: content.map(({ text }) => text).join("\n") };
};
const faults = (name: string): string =>
  (mcp.tenon.mcp.servers().find((one) => one.name === name)?.faults ?? [])
    .map(({ message }) => message)
    .join("\n");
/** Another server answers, and soon. */
const othersAnswer = async (): Promise<void> => {
  const started = performance.now();
  expect((await call("good__echo", { text: "hello" })).text).toContain("hello");
  expect(performance.now() - started).toBeLessThan(underLoad(2000));
};
const bytesOf = (value: unknown): number => JSON.stringify(value).length;

describe("what a hostile server sends", () => {
  it("as blobs is bounded or becomes text, never a broken block", async () => {
    const { content } = await call("evil__blobs");
    for (const block of content) {
      if (block.type === "image") expect(block["data"]).toBeTypeOf("string");
      if (block.type === "resource") expect(block["resource"]).toHaveProperty("uri");
    }
    expect(bytesOf(content)).toBeLessThan(9 * 1024 * 1024);
    await othersAnswer();
  });

  it("as links is bounded, and each has an address", async () => {
    const { content } = await call("evil__links");
    expect(bytesOf(content)).toBeLessThan(4 * 1024 * 1024);
    for (const block of content)
      if (block.type === "resource_link") expect(block["uri"]).toBeTypeOf("string");
    await othersAnswer();
  });

  it("as annotations pollutes nothing, is bounded and cannot forge what Tenon says", async () => {
    const { result, content } = await call("evil__annotations");
    expect(({} as Fields)["polluted"]).toBeUndefined();
    expect(bytesOf(content)).toBeLessThan(4 * 1024 * 1024);
    const meta = result?.["_meta"] as Fields;
    expect(meta["tenon/callId"]).toMatch(/^call_/);
    expect(JSON.stringify(meta)).not.toContain("forged");
  });

  it("as 10,000 log messages a second reaches the host as 500 a second, and others are not disturbed", async () => {
    await host.request("logging/setLevel", { level: "debug" });
    const before = process.memoryUsage().rss;
    const started = performance.now();
    const flood = call("evil__logs");
    await othersAnswer();
    expect((await flood).text).toContain("logged");
    const seconds = Math.ceil((performance.now() - started) / 1000) + 1;
    const logs = host.seen.filter(({ method }) => method === "notifications/message");
    expect(logs.length).toBeLessThanOrEqual(seconds * 501);
    expect(logs.length).toBeGreaterThan(100);
    expect(faults("evil")).toMatch(/more than 1000 log messages in a second/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it("as 30,000 reports of progress at once loses some of them, and neither its answer nor the next call", async () => {
    const _meta = { progressToken: "flood" };
    const { result } = await host.request("tools/call", { name: "evil__reports", arguments: {}, _meta });
    expect(JSON.stringify(result)).toContain("reported");
    expect((await call("evil__echo", { text: "next" })).text).toContain("next");
    expect(faults("evil")).toMatch(/more than 2000 reports of progress in a second/);
  });

  it("as an error is bounded", async () => {
    const { error } = await call("evil__complains");
    expect(error?.code).toBe(-32050);
    expect(bytesOf(error)).toBeLessThan(20_000);
  });

  it("as questions without end stops at 100, and the call ends at its time limit", async () => {
    asked = 0;
    const { result } = await call("asking__endless");
    expect(result).toMatchObject({ isError: true });
    expect(asked).toBeLessThanOrEqual(100);
    expect(faults("asking")).toMatch(/asked more than 100 times/);
    await othersAnswer();
  });

  it("as 500 requests for sampling at once is answered 100 times, the rest is refused", async () => {
    asked = 0;
    expect((await call("evil__nested")).text).toContain("100 answered");
    expect(asked).toBe(100);
  });

  it("as requests for roots in a loop is refused after 100", async () => {
    asked = 0;
    expect((await call("evil__roots")).text).toContain("refused at last");
    expect(asked).toBe(100);
  });

  it.each(["evil", "web"])("as a result of 100 MB is refused while it is read (%s)", async (name) => {
    let most = 0;
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - before)), 20);
    const { text, result } = await call(`${name}__huge`);
    clearInterval(watch);
    expect(result).toMatchObject({ isError: true });
    expect(text).toMatch(/more than the 33554432|too long|connection/);
    expect(most).toBeLessThan(300 * 1024 * 1024);
    await othersAnswer();
    await expect.poll(async () => (await call(`${name}__echo`, { text: "back" })).text).toContain("back");
  });

  it.each(["odd_type", "no_result"])("as an answer of the wrong kind is an error (%s)", async (name) => {
    const { result, error } = await call(`evil__${name}`);
    // A server of 2025 has no kinds of results: the field means nothing there.
    if (name === "odd_type") expect(result).toMatchObject({ content: [{ type: "text" }] });
    else expect(error ?? result).toMatchObject(error === undefined ? { isError: true } : { code: -32603 });
    if (name === "odd_type") expect((await call(`new__${name}`)).result).toMatchObject({ isError: true });
  });
});

describe("a hostile server that", () => {
  it("speaks a revision that does not exist is not used, and says why", async () => {
    const { result } = await call("future__echo");
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toMatch(/2099-01-01|version/);
  });

  it.each(["evil", "web"])(
    "closes its output in a call fails the call soon, and is used again (%s)",
    async (name) => {
      const started = performance.now();
      const { result, text } = await call(`${name}__silent_end`);
      expect(result).toMatchObject({ isError: true });
      expect(text).not.toMatch(/time limit/);
      expect(performance.now() - started).toBeLessThan(underLoad(2500));
      await expect.poll(async () => (await call(`${name}__echo`, { text: "back" })).text).toContain("back");
    },
  );

  it("closes its input is started again", async () => {
    await call("evil__deaf");
    const failed = await call("evil__echo", { text: "lost" });
    expect(failed.text).toMatch(/SERVER_UNAVAILABLE.*no longer reads its standard input/);
    await expect.poll(() => mcp.tenon.mcp.servers().find(({ name }) => name === "evil")?.state).toBe("ready");
    expect((await call("evil__echo", { text: "back" })).text).toContain("back");
    await othersAnswer();
  });
});
