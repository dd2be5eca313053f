import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { underLoad } from "../../test/setup/under-load.js";
import { openTestServer } from "./testing/open-server.js";

describe("MCP of a running server", () => {
  it("tells of a malformed request in one line, without a stack", async () => {
    const faults: unknown[] = [];
    const at = await openTestServer({ onFault: (cause) => faults.push(cause) });
    try {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const post = async (method: string, params: object, version = "2026-07-28"): Promise<number> => {
        const body = { jsonrpc: "2.0", id: 1, method, params };
        const sent = { ...headers, "mcp-protocol-version": version, "mcp-method": method };
        return (await at.ask("/mcp", { method: "POST", headers: sent, body })).status;
      };
      expect(await post("tools/call", {})).toBe(400);
      const unknown = { "io.modelcontextprotocol/protocolVersion": "2031-01-01" };
      const others = {
        "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      expect(await post("tools/list", { _meta: { ...unknown, ...others } }, "2031-01-01")).toBe(400);
      expect(await post("initialize", { protocolVersion: 7 }, "2025-11-25")).toBe(400);
      expect(faults).toEqual([
        expect.stringMatching(/^MCP over HTTP: Invalid params: [^\n]*$/),
        expect.stringMatching(/^MCP over HTTP: Unsupported protocol version: 2031-01-01$/),
        expect.stringMatching(/^MCP over HTTP: [^\n]*$/),
      ]);
    } finally {
      await at.close();
    }
  });

  it("starts servers that are not lazy before anybody asks", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-eager-"));
    const sign = join(folder, "started");
    const script = `require("node:fs").writeFileSync(${JSON.stringify(sign)}, ""); setInterval(() => {}, 1000);`;
    const server = { command: process.execPath, args: ["-e", script], lazy: false };
    writeFileSync(join(folder, "config.json"), JSON.stringify({ mcpServers: { eager: server } }));
    const program = resolve(import.meta.dirname, "../../bin/tenon.cjs");
    const args = [program, "serve", "--port", "0", "--json", "--config", join(folder, "config.json")];
    const env = { PATH: process.env["PATH"], HOME: folder, TENON_STATE_DIR: join(folder, "state") };
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" });
    try {
      await expect.poll(() => existsSync(sign), { timeout: underLoad(10_000) }).toBe(true);
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
