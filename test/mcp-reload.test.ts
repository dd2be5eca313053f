import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openServer } from "../src/mcp/client/open-server.js";
import type { ServerConnection } from "../src/mcp/client/server-connection.js";

const tenon = join(import.meta.dirname, "../bin/tenon.cjs");
const plain = (...args: string[]) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, "fixtures/plain-server.mjs"), ...args],
});

describe("a configuration that changes while `tenon mcp` runs", { timeout: 120_000 }, () => {
  let folder: string;
  let host: ServerConnection;
  let changes = 0;
  const log: string[] = [];
  const file = () => join(folder, "config.json");
  const write = (mcpServers: object, more: object = {}) => {
    const policy = { rules: [{ tool: "*:*", decision: "allow" }] };
    writeFileSync(file(), JSON.stringify({ policy, mcpServers, ...more }));
  };
  const call = async (name: string, args: object = {}) => {
    const { signal } = new AbortController();
    const { content, isError } = await host.callTool(name, args, { signal });
    return { text: JSON.stringify(content), isError };
  };
  const serverTools = async () =>
    (await host.listTools()).map(({ name }) => name).filter((name) => name.includes("__"));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tenon-reload-"));
    changes = 0;
    log.length = 0;
  });
  afterEach(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async () => {
    host = await openServer(
      {
        kind: "program",
        command: process.execPath,
        args: [tenon, "mcp", "--workspace", folder, "--config", file()],
        env: { PATH: process.env["PATH"] ?? "", HOME: folder, TENON_STATE_DIR: join(folder, "state") },
      },
      { timeoutMs: 60_000, onToolsChanged: () => changes++, onLog: (line) => log.push(line) },
    );
  };

  it("starts, restarts and ends the servers that changed, tells the host, and leaves the others alone", async () => {
    write({ a: plain("1"), b: plain("1") });
    await open();
    await expect.poll(serverTools, { timeout: 30_000 }).toEqual(["a__pid", "a__wait", "b__pid", "b__wait"]);
    const first = { a: await call("a__pid"), b: await call("b__pid") };
    const done = join(folder, "done");
    const running = call("b__wait", { file: done });
    const before = changes;
    write({ c: plain("1"), a: { args: plain("1").args, command: plain().command } });
    await expect.poll(serverTools, { timeout: 30_000 }).toEqual(["a__pid", "a__wait", "c__pid", "c__wait"]);
    expect(changes).toBeGreaterThan(before);
    expect(await call("a__pid")).toEqual(first.a); // the same process
    expect((await call("c__pid")).isError).toBe(false);
    expect((await call("b__pid")).isError).toBe(true);
    // A call that ran when its server was removed is answered by it.
    writeFileSync(done, "");
    expect((await running).text).toContain("done");
    const pid = Number(/\d+/.exec(first.b.text)?.[0]);
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 30_000 }).toBe(false);

    write({ a: { ...plain("2"), exclude: ["wait"] }, c: plain("1") });
    await expect.poll(serverTools, { timeout: 30_000 }).toEqual(["a__pid", "c__pid", "c__wait"]);
    await expect.poll(() => call("a__pid"), { timeout: 30_000 }).not.toEqual(first.a);
  });

  it("says what is wrong with a broken configuration and keeps the one before, then takes the repaired one", async () => {
    write({ a: plain() });
    await open();
    await expect.poll(serverTools, { timeout: 30_000 }).toEqual(["a__pid", "a__wait"]);
    const first = await call("a__pid");
    writeFileSync(file(), '{ "mcpServers": { "a": { "comand": "x" } } }');
    await expect.poll(() => log.join("\n"), { timeout: 30_000 }).toMatch(/not used[^]*comand/);
    writeFileSync(file(), "{");
    await expect.poll(() => log.join("\n").match(/not used/g)?.length, { timeout: 30_000 }).toBe(2);
    rmSync(file());
    await expect.poll(() => log.join("\n").match(/not used/g)?.length, { timeout: 30_000 }).toBe(3);
    expect(await call("a__pid")).toEqual(first);
    write({ a: plain(), b: plain() }, { mode: "read-only" });
    await expect.poll(serverTools, { timeout: 30_000 }).toContain("b__pid");
    expect(await call("a__pid")).toEqual(first);
    expect(log.join("\n")).toMatch(/MCP servers added: b/);
    await expect.poll(() => log.join("\n"), { timeout: 30_000 }).toMatch(/Restart to apply/);
  });
});
