// The gateway: a hop through Tenon to a server on standard streams against mcp-proxy, and memory with many servers.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTenon, openUpstream } from "../../dist/index.js";
import { printGoal } from "../measure.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const server = join(root, "test/fixtures/hostile-server.mjs");
const proxy = join(root, "test/peers/node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs");
const cli = join(root, "bin/tenon.cjs");
const env = { PATH: process.env.PATH ?? "" };

export async function run() {
  console.log("\n## The gateway\n");
  const folder = mkdtempSync(join(tmpdir(), "tenon-bench-gateway-"));
  try {
    const direct = await rateOf(
      { kind: "program", command: process.execPath, args: [server, "good"], env },
      "echo",
    );
    const hop = await rateOf(throughTenon(folder), "good__echo");
    const proxied = await proxyRate();
    console.log(
      `calls a second, one after another: direct ${direct.toFixed(0)}, through tenon mcp ${hop.toFixed(0)}, through mcp-proxy ${proxied.toFixed(0)}`,
    );
    printGoal("mcp-proxy's rate against the hop", proxied / hop, 1 / 4);
    await measureMemory(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function throughTenon(folder) {
  const config = {
    policy: { rules: [{ tool: "good:*", behavior: "allow" }] },
    mcpServers: { good: { command: process.execPath, args: [server, "good"] } },
  };
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify(config));
  return {
    kind: "program",
    command: process.execPath,
    args: [cli, "mcp", "--workspace", folder, "--config", file],
    env: { ...env, TENON_STATE_DIR: join(folder, "state"), HOME: folder },
  };
}

async function rateOf(spec, name) {
  const upstream = await openUpstream(spec, { timeoutMs: 30_000 });
  const signal = new AbortController().signal;
  const call = () => upstream.callTool(name, { text: "x" }, { signal });
  try {
    for (let round = 0; round < 200; round++) await call();
    const first = await call();
    if (first.isError) throw new Error(JSON.stringify(first.content));
    const started = performance.now();
    const rounds = 2000;
    for (let round = 0; round < rounds; round++) await call();
    return (rounds / (performance.now() - started)) * 1000;
  } finally {
    await upstream.close();
  }
}

async function proxyRate() {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const child = spawn(
    process.execPath,
    [proxy, "--port", String(port), "--", process.execPath, server, "good"],
    { stdio: "ignore" },
  );
  try {
    for (let tries = 0; ; tries++) {
      try {
        return await rateOf({ kind: "address", url: `http://127.0.0.1:${port}/mcp` }, "echo");
      } catch (error) {
        if (tries > 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    }
  } finally {
    child.kill();
  }
}

async function measureMemory(folder) {
  const servers = Array.from({ length: 20 }, (_, at) => [
    `s${at}`,
    { command: process.execPath, args: [server, "good"] },
  ]);
  const before = process.memoryUsage.rss();
  const tenon = createTenon({
    workspace: folder,
    config: { stateDir: join(folder, "many"), mcpServers: Object.fromEntries(servers) },
  });
  await tenon.ready();
  await tenon.mcp.tryAll(60_000);
  const tools = tenon.mcp.servers().reduce((sum, one) => sum + one.tools.length, 0);
  console.log(
    `${servers.length} servers, ${tools} tools: ${((process.memoryUsage.rss() - before) / 1024 ** 2).toFixed(0)} MB more in Tenon's own process`,
  );
  await tenon.close();
}
