import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Session, type Profiler } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { runTenon } from "../src/cli/testing/run-tenon.js";
import { openMcpFixture } from "./mcp-fixture.js";

const root = resolve(import.meta.dirname, "..");

/** Each journey of `docs/architecture.md`, and one call that takes it. */
const journeys: Readonly<Record<string, () => Promise<void>>> = {
  async "A call over MCP"() {
    const mcp = openMcpFixture();
    const host = mcp.connect();
    await host.initialize();
    const { result } = await host.request("tools/call", { name: "current_time", arguments: {} });
    expect(result).toMatchObject({ structuredContent: { iso: expect.any(String) as string } });
    await mcp.close();
  },

  async "A call over the command line"() {
    const cwd = mkdtempSync(join(tmpdir(), "tenon-journey-"));
    const { code, out } = await runTenon(["call", "current_time", "--json"], {
      cwd,
      env: { TENON_STATE_DIR: join(cwd, ".state") },
    });
    expect({ code, success: (JSON.parse(out) as { success: boolean }).success }).toEqual({
      code: 0,
      success: true,
    });
    rmSync(cwd, { recursive: true, force: true });
  },

  async "An approval"() {
    const mcp = openMcpFixture();
    const host = mcp.connect();
    await host.initialize({ elicitation: { form: {} } });
    const answer = host.request("tools/call", { name: "write_file", arguments: { path: "a", content: "b" } });
    const { id } = await host.until(({ method }) => method === "elicitation/create");
    host.send({ id, result: { action: "accept", content: { decision: "once" } } });
    expect((await answer).result).toMatchObject({ structuredContent: { path: "a" } });
    await mcp.close();
  },
};

describe("the journeys in docs/architecture.md", () => {
  it.each(Object.keys(journeys))("%s runs through every hop that is drawn", async (name) => {
    const hops = hopsOf(name);
    expect(hops.length).toBeGreaterThan(8);
    expect(hops.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
    const ran = await runningFunctions(journeys[name]!);
    expect(hops.filter(({ file, fn }) => ran.get(file)?.has(fn) !== true)).toEqual([]);
  });
});

interface Hop {
  readonly file: string;
  readonly fn: string;
}

/** The hops of one drawing: every line of its code block is `file  function  what it does`. */
function hopsOf(name: string): readonly Hop[] {
  const text = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const drawing = new RegExp(`### ${name}\\n[^]*?\`\`\`text\\n([^]*?)\`\`\``).exec(text)?.[1] ?? "";
  return [...drawing.matchAll(/(src\/\S+\.ts)\s+(\w+)/g)].map(([, file = "", fn = ""]) => ({ file, fn }));
}

/** The functions of `src/` that run while `journey` does, by file. */
async function runningFunctions(journey: () => Promise<void>): Promise<Map<string, Set<string>>> {
  const inspector = new Session();
  inspector.connect();
  let report: Profiler.ScriptCoverage[];
  try {
    await inspector.post("Profiler.enable");
    await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await journey();
    ({ result: report } = await inspector.post("Profiler.takePreciseCoverage"));
  } finally {
    inspector.disconnect();
  }
  const base = pathToFileURL(`${root}/`).href;
  const running = new Map<string, Set<string>>();
  for (const { url, functions } of report) {
    const file = url.startsWith("/") ? url.slice(root.length + 1) : url.replace(base, "");
    if (!file.startsWith("src/")) continue;
    const names = functions.filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0);
    running.set(
      file,
      new Set([...(running.get(file) ?? []), ...names.map(({ functionName }) => functionName)]),
    );
  }
  return running;
}
