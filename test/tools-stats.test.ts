import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { runTenon, type Ended } from "../src/cli/testing/run-tenon.js";
import { createTenon, defineTool } from "../src/index.js";

let root: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "tenon-stats-"));
  const make = (version: string, fails: number) => {
    let calls = 0;
    return defineTool({
      name: "guess",
      description: "Guess a number.",
      category: "custom",
      version,
      input: z.object({}),
      execute: () => {
        if (calls++ % 10 < fails) throw new Error("wrong");
        return { guess: 1 };
      },
    });
  };
  const tenon = createTenon({
    workspace: root,
    config: { stateDir: join(root, ".state") },
    health: { criticalErrors: 1_000_000 },
    tools: [make("1.0.0", 6), make("2.0.0", 1)],
  });
  for (let at = 0; at < 40; at++) {
    await tenon.call({ name: "guess@1.0.0", arguments: {} });
    await tenon.call({ name: "guess@2.0.0", arguments: {} });
  }
  await tenon.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const run = (...args: string[]): Promise<Ended> =>
  runTenon(["tools", "stats", ...args], { cwd: root, env: { TENON_STATE_DIR: join(root, ".state") } });

describe("tenon tools stats", () => {
  it("adds up what other processes did, version by version, and says which one fails more", async () => {
    const { out } = await run("--json");
    const [guess] = JSON.parse(out) as Record<string, unknown>[];
    expect(guess).toMatchObject({
      tool: "guess",
      calls: 80,
      failures: 28,
      errors: { ToolExecutionError: 28 },
      versions: [
        { version: "1.0.0", calls: 40, failures: 24 },
        { version: "2.0.0", calls: 40, failures: 4 },
      ],
      advice: [expect.stringContaining("Version 1.0.0 fails more often")],
    });
  });

  it("shows people a table", async () => {
    const { out, code } = await run();
    expect(code).toBe(0);
    expect(out).toMatch(/TOOL +CALLS +FAILED/);
    expect(out).toMatch(/@2\.0\.0 +40 +4/);
    expect(out).toContain("Advice");
  });

  it("says where there is nothing to tell, and refuses a time it does not understand", async () => {
    expect((await run("nobody*")).out).toContain("No calls in the log");
    expect((await run("--since", "yesterday-ish")).code).toBe(2);
  });
});
