import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runTenon } from "../src/cli/testing/run-tenon.js";
import type { TenonConfig } from "../src/config/config-schema.js";
import { createTenon } from "../src/runtime/create-tenon.js";
import { createServerLogs } from "../src/runtime/gateway/server-logs.js";
import type { Tenon } from "../src/runtime/tenon.js";
import { openHome, tenonProgram } from "./conformance/tenon-serve.js";
import { openMcpFixture } from "./mcp-fixture.js";
import { StdioHost } from "./recording-host.js";

const fixture = join(import.meta.dirname, "fixtures/plain-server.mjs");
const peer = (name: string): string =>
  join(import.meta.dirname, `peers/node_modules/@modelcontextprotocol/${name}/dist/index.js`);
const plain = { command: process.execPath, args: [fixture, "first"] };

describe("running MCP servers", { timeout: 60_000 }, () => {
  let folder: string;
  const open: Tenon[] = [];
  const start = (mcpServers: NonNullable<TenonConfig["mcpServers"]>): Tenon => {
    const config = { stateDir: join(folder, "state"), mcpServers };
    const tenon = createTenon({ workspace: folder, config, jobs: false });
    open.push(tenon);
    return tenon;
  };
  const view = (tenon: Tenon) => tenon.mcp.servers().find(({ name }) => name === "s");

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tenon-operation-"));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((tenon) => tenon.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  it("stops a server until it is restarted, and no call starts it meanwhile", async () => {
    const tenon = start({ s: plain });
    await tenon.ready();
    await tenon.mcp.listTools("s");
    expect(view(tenon)?.state).toBe("ready");
    expect(await tenon.mcp.stop("s")).toMatchObject({ state: "stopped" });
    await expect(tenon.mcp.callTool("s", "pid")).rejects.toMatchObject({
      code: "SERVER_UNAVAILABLE",
      hint: expect.stringContaining("mcp-servers restart s"),
    });
    expect(view(tenon)?.state).toBe("stopped");
    expect(await tenon.mcp.restart("s")).toMatchObject({ state: "ready" });
    expect((await tenon.mcp.callTool("s", "pid")).isError).toBe(false);
  });

  it("gives each session an instance of its own, which ends with it, where the configuration says so", async () => {
    const rules = [{ decision: "allow" as const, tool: "*:pid" }];
    const config = {
      stateDir: join(folder, "state"),
      policy: { rules },
      mcpServers: { own: { ...plain, instances: "session" as const }, all: plain },
    };
    const tenon = createTenon({ workspace: folder, config, jobs: false });
    open.push(tenon);
    const sessions = ["a", "b", "c"].map((id) => tenon.createSession({ id }));
    const pids = (name: string) =>
      Promise.all(
        sessions.map(async (session) => {
          const answer = await session.call({ name: `${name}:pid`, arguments: {} });
          expect(answer).toSucceed();
          return Number(answer.result);
        }),
      );
    expect(new Set(await pids("all")).size).toBe(1);
    const own = await pids("own");
    expect(new Set(own).size).toBe(3);
    expect(await pids("own")).toEqual(own);
    const isGone = (pid: number) => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    };
    await Promise.all(sessions.slice(0, 2).map((session) => session.close()));
    await expect.poll(() => own.slice(0, 2).every(isGone)).toBe(true);
    expect(isGone(own[2] ?? 0)).toBe(false);
    // A session that is opened later gets a fresh one, and those that stay keep theirs.
    const late = await tenon.createSession({ id: "late" }).call({ name: "own:pid", arguments: {} });
    expect(own).not.toContain(Number(late.result));
    expect((await pids("own"))[2]).toBe(own[2]);
  });

  it("tells a server the roots of the one session that it works for, as soon as it asks and when they change", async () => {
    const rules = [{ decision: "allow" as const, tool: "fs:*" }];
    const fs = { command: process.execPath, args: [peer("server-filesystem")] };
    const mcp = openMcpFixture({ config: { policy: { rules }, mcpServers: { fs } } });
    try {
      const connect = async (...names: readonly string[]) => {
        const host = mcp.connect();
        const uris = names.map((name) => {
          mkdirSync(join(mcp.dir, name), { recursive: true });
          return `file://${mcp.dir}/${name}`;
        });
        host.answer = ({ method }) => (method === "roots/list" ? { roots: [{ uri: uris[0] }] } : undefined);
        await host.initialize({ roots: { listChanged: true } });
        const allowed = async (): Promise<string> => {
          const asked = { name: "fs__list_allowed_directories", arguments: {} };
          const { result } = await host.request("tools/call", asked);
          return JSON.stringify(result?.["structuredContent"]);
        };
        const change = (): void => {
          uris.shift();
          host.send({ method: "notifications/roots/list_changed" });
        };
        return { allowed, change };
      };
      const [one, other] = await Promise.all([connect("one"), connect("other", "third")]);
      expect(await one.allowed()).toMatch(/\/one"/);
      expect(await other.allowed()).toMatch(/\/other"/);
      other.change();
      await expect.poll(other.allowed).toMatch(/\/third"/);
      expect(await one.allowed()).toMatch(/\/one"/);
    } finally {
      await mcp.close();
    }
  });

  it("lists what a server offers to the host that asks, though it was listed for others before", async () => {
    const every = { command: process.execPath, args: [peer("server-everything"), "stdio"] };
    const mcp = openMcpFixture({ config: { mcpServers: { every } } });
    try {
      const offered = await mcp.tenon.mcp.listTools("every");
      expect(offered.map(({ name }) => name)).not.toContain("trigger-sampling-request");
      const host = mcp.connect();
      await host.initialize({ sampling: {} });
      const names = async () => (await host.list("tools/list", "tools")).map(({ name }) => name);
      // It adds them a moment after the host has greeted it, and says so.
      await expect.poll(names).toContain("every__trigger-sampling-request");
      expect(await names()).toContain("every__echo");
      expect(await names()).not.toContain("every__trigger-elicitation-request");
    } finally {
      await mcp.close();
    }
  });

  it("does not start a server again that was stopped while it was starting", async () => {
    const tenon = start({ s: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] } });
    await tenon.ready();
    const starting = tenon.mcp.listTools("s").catch(() => undefined);
    await expect.poll(() => view(tenon)?.state).toBe("connecting");
    await tenon.mcp.stop("s");
    await starting;
    expect(view(tenon)?.state).toBe("stopped");
    expect(view(tenon)).not.toHaveProperty("nextTryAt");
  });

  it("keeps what a server writes to its standard error, for the command line too", async () => {
    const tenon = start({ s: plain });
    await tenon.ready();
    await tenon.mcp.listTools("s");
    await expect.poll(() => tenon.mcp.logs("s").join("\n")).toMatch(/started with first/);
    const env = { TENON_STATE_DIR: join(folder, "state") };
    const shown = await runTenon(["mcp-servers", "logs", "s"], { cwd: folder, env });
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/^\S+Z started with first$/m) });
    const unknown = await runTenon(["mcp-servers", "logs", "nobody"], { cwd: folder, env });
    expect(unknown).toMatchObject({ code: 1, err: expect.stringMatching(/not found/) });
  });

  it("starts a server that starts with Tenon once, for the host that came last", async () => {
    const starts = join(folder, "starts");
    const chatty = {
      command: process.execPath,
      args: [join(import.meta.dirname, "fixtures/chatty-server.mjs"), "2025", "streams", starts],
      lazy: false,
    };
    const config = {
      stateDir: join(folder, "state"),
      policy: { rules: [{ decision: "allow" as const, tool: "s:*" }] },
      mcpServers: { s: chatty },
    };
    const run = async (capabilities: object): Promise<unknown> => {
      rmSync(starts, { force: true });
      const mcp = openMcpFixture({ config, workspace: folder });
      try {
        await mcp.tenon.ready();
        await expect.poll(() => view(mcp.tenon)?.state).toBe("ready");
        const host = mcp.connect();
        await host.initialize(capabilities);
        const { result } = await host.request("tools/call", { name: "s__heard", arguments: {} });
        return [result?.["structuredContent"], readFileSync(starts, "utf8").match(/started/g)?.length];
      } finally {
        await mcp.close();
      }
    };
    const heard = (declared: object) => expect.objectContaining({ declared });
    await run({ sampling: {} });
    expect(await run({ sampling: {} })).toEqual([heard({ sampling: {} }), 1]);
    // Another host is never spoken for as if it were the last one.
    expect(await run({ elicitation: { form: {} } })).toEqual([heard({ elicitation: { form: {} } }), 2]);
  });

  it.each([
    { greeting: "asks what there is", methods: ["server/discover"] },
    { greeting: "listens first", methods: ["server/discover", "subscriptions/listen"] },
    { greeting: "lists at once", methods: [] },
  ])(
    "starts a server of 2025 once in the first run ever, where a host of 2026 $greeting",
    async ({ methods }) => {
      const starts = join(folder, "starts");
      const args = [join(import.meta.dirname, "fixtures/chatty-server.mjs"), "2025", "streams", starts];
      const home = openHome({
        policy: { rules: [{ decision: "allow", tool: "s:*" }] },
        mcpServers: { s: { command: process.execPath, args } },
      });
      const capabilities = { sampling: {} };
      const command = [process.execPath, tenonProgram, "mcp", ...home.args];
      const host = new StdioHost(command, { capabilities, modern: true, env: home.env });
      try {
        for (const method of methods) {
          if (method === "subscriptions/listen") host.begin(method, { notifications: {} });
          else await host.ask(method, {});
        }
        await host.ask("tools/list", {});
        const { result } = await host.ask("tools/call", { name: "s__heard", arguments: {} });
        expect(result).toMatchObject({ structuredContent: { declared: capabilities } });
        expect(readFileSync(starts, "utf8").match(/started/g)).toHaveLength(1);
      } finally {
        host.close();
        home.remove();
      }
    },
  );

  it("says why a tool is missing whose server failed, by either of its names, and how to start it", async () => {
    const flag = join(folder, "broken");
    const program = `[ -e "${flag}" ] && { echo "no database" >&2; exit 3; }; exec "${process.execPath}" "${fixture}"`;
    const tenon = start({ s: { command: "sh", args: ["-c", program] } });
    writeFileSync(flag, "");
    await tenon.ready();
    const failed = {
      code: "SERVER_UNAVAILABLE",
      message: expect.stringContaining("no database"),
      hint: expect.stringContaining("mcp-servers restart s"),
    };
    for (const name of ["s__pid", "s:pid"]) expect((await tenon.call({ name })).error).toMatchObject(failed);
    rmSync(flag);
    await tenon.mcp.restart("s");
    expect((await tenon.call({ name: "s__no_such" })).error).toMatchObject({ code: "TOOL_NOT_FOUND" });
    // Known from before, and gone now: a tool that it may have added is not simply unknown.
    writeFileSync(flag, "");
    await tenon.mcp.restart("s").catch(() => undefined);
    for (const name of ["s__no_such", "s:no_such"])
      expect((await tenon.call({ name })).error).toMatchObject(failed);
  });

  it("tells of a change, with what the server said, only hosts that are offered the server", async () => {
    const args = [join(import.meta.dirname, "fixtures/chatty-server.mjs"), "2025"];
    const rules = [{ decision: "allow" as const, tool: "s:*" }];
    const mcp = openMcpFixture({
      config: { policy: { rules }, mcpServers: { s: { command: process.execPath, args } } },
    });
    try {
      const hosts = [["s"], ["other"]].map((servers) => mcp.connect({ servers }));
      for (const host of hosts) {
        await host.initialize();
        await host.request("resources/subscribe", { uri: "chat:one" });
      }
      const [one, other] = hosts;
      await one?.request("tools/call", { name: "s__changes", arguments: {} });
      const isChange = ({ method }: { method?: string }) => method === "notifications/resources/updated";
      expect((await one?.until(isChange))?.params).toEqual({
        uri: "chat:one",
        later: { at: 1 },
        _meta: { at: 1 },
      });
      await other?.request("ping");
      expect(other?.seen.filter(isChange)).toEqual([]);
    } finally {
      await mcp.close();
    }
  });

  it("bounds the log of a server that floods it", () => {
    const logs = createServerLogs(join(folder, "state"), folder, Date.now);
    for (let round = 0; round < 20; round++) {
      for (let at = 0; at < 5000; at++) logs.append("s", `line ${round} ${"x".repeat(100)}`);
      logs.read("s", 1);
    }
    const kept = logs.read("s", 1_000_000);
    expect(kept.join("\n").length).toBeLessThan(3 * 1024 * 1024);
    expect(kept.some((line) => line.endsWith("lines were dropped"))).toBe(true);
    expect(kept.findLast((line) => line.includes("line"))).toMatch(/line 19|dropped/);
  });

  it("limits the calls of a server in a minute", async () => {
    const tenon = start({ s: { ...plain, maxPerMinute: 2 } });
    await tenon.ready();
    for (let at = 0; at < 2; at++) await tenon.mcp.callTool("s", "pid");
    await expect(tenon.mcp.callTool("s", "pid")).rejects.toMatchObject({ code: "QUOTA_SPENT" });
  });

  it("takes no fault from its own probe, whenever a slow program answers it, and names the limit of a start", async () => {
    // It reads nothing for longer than the probe waits.
    const slow = { command: "sh", args: ["-c", `sleep 2; exec "${process.execPath}" "${fixture}"`] };
    const tenon = start({ s: { ...slow, startTimeoutMs: 5000 } });
    await tenon.ready();
    await tenon.mcp.listTools("s");
    expect(view(tenon)).toMatchObject({ state: "ready", faults: [] });
    const hanging = start({ s: { command: "sleep", args: ["60"], startTimeoutMs: 300 } });
    await hanging.ready();
    await expect(hanging.mcp.listTools("s")).rejects.toThrow(/within 300 ms[^]*startTimeoutMs/);
  });

  it("lists the servers of the running `tenon serve`, in the state that they are in there", async () => {
    const env = { XDG_CONFIG_HOME: join(folder, "config"), TENON_STATE_DIR: join(folder, "state") };
    const file = join(folder, "tenon.json");
    // Each start leaves a line behind.
    const program = `echo started >> "${folder}/starts"; exec "${process.execPath}" "${fixture}"`;
    writeFileSync(file, JSON.stringify({ mcpServers: { s: { command: "sh", args: ["-c", program] } } }));
    const run = (...args: string[]) => runTenon([...args, "--config", file], { cwd: folder, env });
    const ending = new AbortController();
    const serve = runTenon(["serve", "--port", "0", "--no-open", "--config", file], {
      cwd: folder,
      env,
      interrupted: ending.signal,
    });
    await expect.poll(async () => (await run("mcp-servers", "stop", "s")).code).toBe(0);
    const stopped = await run("mcp-servers", "list", "--json");
    expect(JSON.parse(stopped.out)).toMatchObject([{ name: "s", state: "stopped" }]);
    expect((await run("mcp-servers", "restart", "s")).code).toBe(0);
    const starts = readFileSync(join(folder, "starts"), "utf8");
    expect((await run("mcp-servers", "list")).out).toMatch(/^s +ready/m);
    expect(readFileSync(join(folder, "starts"), "utf8")).toBe(starts);
    ending.abort();
    await serve;
    const own = await run("mcp-servers", "list", "--json");
    expect(JSON.parse(own.out)).toMatchObject([{ name: "s", state: "ready" }]);
    expect(readFileSync(join(folder, "starts"), "utf8").length).toBeGreaterThan(starts.length);
  });

  it("waits on the command line until a server is ready", async () => {
    const env = { XDG_CONFIG_HOME: join(folder, "config"), TENON_STATE_DIR: join(folder, "state") };
    const add = ["mcp-servers", "add", "s", "--no-sandbox", "--wait", "30", "--", process.execPath, fixture];
    const added = await runTenon(add, { cwd: folder, env });
    expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/Added s[^]*s {2}ready[^]*pid/) });
    const wrong = await runTenon(["mcp-servers", "test", "s", "--wait", "soon"], { cwd: folder, env });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/Invalid --wait/) });
  });
});
