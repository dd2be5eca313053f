import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TenonConfig } from "../src/config/config-schema.js";
import type { ClientConnection } from "../src/contract/ports/client.js";
import { createTenon } from "../src/runtime/create-tenon.js";
import type { TenonOptions } from "../src/runtime/tenon-options.js";
import { createMcpHost } from "../src/runtime/mcp-host/create-mcp-host.js";
import type { Tenon } from "../src/runtime/tenon.js";

const fixture = join(import.meta.dirname, "fixtures/hostile-server.mjs");
const peers = join(import.meta.dirname, "peers/node_modules/@modelcontextprotocol");
const good = { command: process.execPath, args: [fixture, "good"] };

describe("the MCP gateway", () => {
  let folder: string;
  const open: Tenon[] = [];
  const start = (mcpServers: TenonConfig["mcpServers"], more: Partial<TenonOptions> = {}): Tenon => {
    const tenon = createTenon({
      workspace: folder,
      config: { stateDir: join(folder, "state"), ...(mcpServers !== undefined && { mcpServers }) },
      interact: {
        approve: async () => ({ verdict: "once" }),
        ask: async () => ({ text: "Ada" }),
      } as never,
      jobs: false,
      ...more,
    });
    open.push(tenon);
    return tenon;
  };
  const view = (tenon: Tenon, name = "good") => {
    const found = tenon.mcp.servers().find((server) => server.name === name);
    if (found === undefined) throw new Error(`no server ${name}`);
    return found;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tenon-gateway-"));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((tenon) => tenon.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  it("puts real servers behind the same checks, and starts only the one that a call needs", async () => {
    writeFileSync(join(folder, "a.txt"), "hello");
    const program = (name: string, ...args: string[]) => ({
      command: process.execPath,
      args: [join(peers, name, "dist/index.js"), ...args],
    });
    const servers = {
      fs: program("server-filesystem", folder),
      everything: program("server-everything", "stdio"),
      memory: { ...program("server-memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.json") } },
    };
    const tenon = start(servers);
    const read = await tenon.call({ name: "fs:read_text_file", arguments: { path: join(folder, "a.txt") } });
    expect(read).toSucceed({ result: { content: "hello" }, metadata: { untrusted: true } });
    expect(read.metadata.decision).toMatchObject({ behavior: "ask" });
    expect(view(tenon, "memory").state).toBe("idle");
    await tenon.mcp.tryAll(20_000);
    const counts = Object.fromEntries(tenon.mcp.servers().map(({ name, tools }) => [name, tools.length]));
    expect(counts).toMatchObject({ fs: 14, memory: 9 });
    expect(counts["everything"]).toBeGreaterThanOrEqual(13);
    const image = await tenon.call({ name: "everything:get-tiny-image", arguments: {} });
    expect(image.content.map(({ type }) => type)).toContain("image");
    const wrong = await tenon.call({ name: "everything:get-sum", arguments: { a: "x" } });
    expect(wrong.error).toMatchObject({ type: "ToolValidationError" });
    const progress: unknown[] = [];
    const request = {
      name: "everything:trigger-long-running-operation",
      arguments: { duration: 0.2, steps: 2 },
    };
    for await (const item of tenon.stream(request))
      if (item.type === "TOOL_CALL_PROGRESS") progress.push(item.payload);
    expect(progress).toMatchObject([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
    const scope = { signal: new AbortController().signal } as never;
    expect((await tenon.mcp.prompts.list(scope)).map(({ name }) => name)).toContain(
      "everything__simple-prompt",
    );
    const [resource] = await tenon.mcp.resources.list(scope);
    expect(await tenon.mcp.resources.read(resource?.uri ?? "", scope)).toMatchObject({
      contents: [{ uri: resource?.uri }],
    });
    expect(await tenon.mcp.prompts.get("everything__simple-prompt", {}, scope)).toMatchObject({
      messages: [expect.anything()],
    });
  });

  it("knows the tools of an earlier run without starting the server", async () => {
    const first = start({ good });
    expect(await first.call({ name: "good:echo", arguments: { text: "x" } })).toSucceedWith("x");
    await first.close();
    const second = start({ good });
    await second.ready();
    expect(second.registry.has("good:echo")).toBe(true);
    expect(view(second)).toMatchObject({ state: "idle" });
    expect(await second.call({ name: "good:echo", arguments: { text: "y" } })).toSucceedWith("y");
  });

  it("holds a definition that changed until a person accepts it, across processes", async () => {
    const tenon = start({ good });
    const other = start({ good });
    await tenon.call({ name: "good:mutate" });
    await expect.poll(() => view(tenon).held.length).toBe(1);
    expect(view(tenon).held[0]?.diff).toMatch(/-.*The tool echo[^]*\+.*Something else/);
    const refused = await tenon.call({ name: "good:echo" });
    expect(refused.error).toMatchObject({ type: "ToolUnavailableError" });
    expect(`${refused.error?.message} ${refused.error?.hint}`).toMatch(/changed after it was accepted/);
    expect(await tenon.call({ name: "good:slow" })).toSucceed();
    expect(await tenon.mcp.accept("good")).toEqual(["echo"]);
    expect(await tenon.call({ name: "good:echo", arguments: { text: "new" } })).toSucceedWith("new");
    // A server that starts again offers the old definition again, which is no longer the accepted one.
    const old = await other.call({ name: "good:echo" });
    expect(old).toFailWith("DEFINITION_HELD");
    await expect(tenon.mcp.accept("good", ["hang"])).rejects.toThrow(/has no held definition/);
  });

  it("loses no progress that comes together with the answer", async () => {
    const tenon = start({ good });
    const progress: unknown[] = [];
    for await (const item of tenon.stream({ name: "good:steps" }))
      if (item.type === "TOOL_CALL_PROGRESS") progress.push(item.payload);
    expect(progress).toMatchObject([1, 2, 3].map((step) => ({ progress: step, total: 3 })));
  });

  it("follows a list that changes", async () => {
    const tenon = start({ good });
    await tenon.call({ name: "good:grow" });
    await expect.poll(() => tenon.registry.has("good:grown")).toBe(true);
    expect(tenon.registry.has("good:twice")).toBe(false);
    expect(await tenon.call({ name: "good:grown" })).toSucceed();
  });

  it("asks the session's host where it can, else its person, and never the wrong one", async () => {
    const client = {
      supports: { elicitForm: true, elicitUrl: false, sample: true },
      elicit: async () => ({ action: "accept", content: { name: "Host" } }),
      sample: async () => ({ model: "m", role: "assistant", content: { type: "text", text: "sampled" } }),
      log: () => {},
    } as unknown as ClientConnection;
    const tenon = start({ good });
    const session = tenon.createSession({ client });
    expect((await session.call({ name: "good:ask" })).result).toContain("Host");
    expect((await session.call({ name: "good:model" })).result).toContain("sampled");
    expect((await tenon.call({ name: "good:ask" })).result).toContain("Ada");
    expect((await tenon.call({ name: "good:model" })).result).toContain("nobody in this session");
    const hanging = new AbortController();
    const other = tenon.createSession({ client });
    const blocked = other.call({ name: "good:hang", signal: hanging.signal });
    await expect.poll(() => tenon.stats().running).toBe(1);
    expect((await session.call({ name: "good:ask" })).result).toContain("decline");
    // A caller that can be asked other things has a connection of its own.
    expect((await tenon.call({ name: "good:ask" })).result).toContain("Ada");
    hanging.abort();
    await blocked;
    expect(
      view(tenon)
        .faults.map(({ message }) => message)
        .join(),
    ).toMatch(/several sessions/);
  });

  it("sends the person to an address that a server names, or returns it to the caller", async () => {
    const asked: unknown[] = [];
    const client = {
      supports: { elicitForm: false, elicitUrl: true, sample: false },
      elicit: async (params: unknown) => {
        asked.push(params);
        return { action: "accept" };
      },
      log: () => {},
    } as unknown as ClientConnection;
    const tenon = start({ good });
    const told = await tenon.call({ name: "good:visit" });
    expect(told).toFailWith("VISIT_NEEDED");
    expect(told.error?.message).toContain("https://pay.example/1");
    await tenon.mcp.restart("good");
    const session = tenon.createSession({ client });
    expect(await session.call({ name: "good:visit" })).toSucceedWith("welcome");
    expect(asked).toMatchObject([{ mode: "url", url: "https://pay.example/1", elicitationId: "v1" }]);
  });

  it("makes the connection for the first host again while its other calls wait for it", async () => {
    const client = {
      supports: { elicitForm: true, elicitUrl: false, sample: true },
      log: () => {},
    } as unknown as ClientConnection;
    const tenon = start({ good });
    // Opened before any host was there, so for nobody in particular.
    await tenon.mcp.tryAll(20_000);
    const session = tenon.createSession({ client });
    const call = { name: "good:echo", arguments: { text: "x" } };
    for (const answer of await session.callMany(Array.from({ length: 8 }, () => call)))
      expect(answer).toSucceed();
  });

  it("does not count the time in which the host's person thinks", async () => {
    const client = {
      supports: { elicitForm: true, elicitUrl: false, sample: false },
      elicit: async () => {
        await sleep(600);
        return { action: "accept", content: { name: "Slow" } };
      },
      log: () => {},
    } as unknown as ClientConnection;
    const tenon = start({ good: { ...good, timeoutMs: 300 } });
    const session = tenon.createSession({ client });
    // The connection for what this host declares is made before the clock counts.
    await tenon.ready();
    await tenon.mcp.callTool("good", "echo", {}, { context: { sessionId: session.id, client } as never });
    expect((await session.call({ name: "good:ask" })).result).toContain("Slow");
  });

  it("starts no server for a name that the caller may not see", async () => {
    const toolsets = { safe: [{ readOnly: true as const }], others: ["read_*"], most: ["*", "!good:h*"] };
    const tenon = start(undefined, {
      config: { stateDir: join(folder, "state"), mcpServers: { good }, toolsets },
    });
    for (const [toolset, name] of [
      ["safe", "good:echo"],
      ["others", "good:echo@^1"],
      ["most", "good:hang"],
    ] as const) {
      const refused = await tenon.createSession({ toolset }).call({ name });
      expect(refused).toFailWith("TOOL_NOT_FOUND");
      expect(view(tenon).state).toBe("idle");
    }
    const seen = await tenon.createSession({ toolset: "most" }).call({ name: "good:slow" });
    expect(seen).toSucceed();
  });

  it("finds a tool that a host remembers by its wire name before the server was started", async () => {
    const tenon = start({ good });
    const { signal } = new AbortController();
    const host = createMcpHost(tenon, { version: "1" });
    const narrow = host.openSession({ exclude: ["good:echo"] });
    const hidden = await narrow.call({ name: "good__echo", arguments: { text: "x" }, signal });
    expect(hidden.envelope).toFailWith("TOOL_NOT_FOUND");
    expect(view(tenon).state).toBe("idle");
    const seen = host.openSession({ include: ["good:*"] });
    const { envelope } = await seen.call({ name: "good__echo", arguments: { text: "x" }, signal });
    expect(envelope).toSucceed({ toolName: "good:echo" });
    await Promise.all([narrow.close(), seen.close()]);
  });

  it("keeps the upstream's words in failures, and only the tools that are wanted", async () => {
    const tenon = start({ good: { ...good, include: ["f*", "e*"], exclude: ["ech?"] } });
    const failed = await tenon.call({ name: "good:fail" });
    expect(failed.error).toMatchObject({ type: "ToolExecutionError", message: "it went wrong" });
    expect(view(tenon).tools.map(({ name }) => name)).toEqual(["fail", "flood"]);
    expect(await tenon.call({ name: "good:echo" })).toFailWith("TOOL_NOT_FOUND");
  });

  it("connects, calls and disconnects in code; the program and all that it started is gone then", async () => {
    const tenon = start(undefined);
    const env = { PATH: process.env["PATH"] ?? "" };
    const spec = { kind: "program", command: process.execPath, args: [fixture, "stubborn"], env } as const;
    const { pid = 0 } = await tenon.mcp.connect("mine", spec);
    expect(await tenon.mcp.listTools("mine")).toHaveLength(15);
    expect(await tenon.mcp.callTool("mine", "echo", { text: "hi" })).toMatchObject({ isError: false });
    await expect(tenon.mcp.connect("mine", spec)).rejects.toThrow(/another MCP server/);
    expect(process.kill(pid, 0)).toBe(true);
    await tenon.mcp.disconnect("mine");
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    expect(tenon.registry.has("mine:echo")).toBe(false);
    await expect(tenon.mcp.callTool("mine", "echo")).rejects.toThrow(/not found/);
  });

  it("does not take a server's word for harmless unless the person trusts it", async () => {
    const tenon = start({
      fs: { command: process.execPath, args: [join(peers, "server-filesystem/dist/index.js"), folder] },
    });
    await tenon.mcp.tryAll(20_000);
    expect(tenon.registry.describe("fs:list_allowed_directories")?.annotations).toMatchObject({
      dangerous: true,
      openWorld: true,
      serverHints: { readOnlyHint: true },
    });
    expect(tenon.registry.describe("fs:list_allowed_directories")?.definition).toMatchObject({
      annotations: { readOnlyHint: true },
    });
  });
});
