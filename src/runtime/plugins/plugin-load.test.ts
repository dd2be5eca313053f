import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, it, vi } from "vitest";
import { isLongRun } from "../../../test/setup/random-cases.js";
import { resolveConfig } from "../../config/resolve-config.js";
import { EventBus } from "../../record/event-bus.js";
import { createExtensions } from "../catalogue/extensions.js";
import { createPluginFixture, plainPlugin } from "./testing/plugin-fixture.js";
import { Plugins } from "./plugins.js";

const fixture = createPluginFixture();
afterAll(() => fixture.end());

const unused = (): never => {
  throw new Error("not used in this test");
};

describe("a plugin under load", () => {
  it("answers every one of a thousand calls in flight while it is reloaded again and again", async () => {
    const text = (turn: number): string =>
      plainPlugin(
        "busy",
        `[tool("echo", async ({ n }, ctx) => { await ctx.clock.sleep(250 + (n * 37) % 1000); return { n, turn: ${turn} }; }, { annotations: {} })]`,
      );
    const file = fixture.put("busy.mjs", text(0));
    const tenon = fixture.open({
      config: {
        tools: { maxConcurrent: 1000, maxQueued: 5000 },
        policy: { rules: [{ decision: "allow", tool: "echo" }] },
      },
    });
    await tenon.loadPlugin(file);
    const turns = new Set<number>();
    const wrong: unknown[] = [];
    let next = 0;
    const reloading = new AbortController();
    const caller = async (): Promise<void> => {
      while (!reloading.signal.aborted) {
        const n = next++;
        const { success, result, error } = await tenon.call({ name: "echo", arguments: { n } });
        const answer = result as { n: number; turn: number } | undefined;
        if (success && answer?.n === n) turns.add(answer.turn);
        else wrong.push({ n, result, error });
      }
    };
    const callers = Array.from({ length: 1000 }, caller);
    for (let turn = 1; turn <= (isLongRun ? 50 : 18); turn++) {
      writeFileSync(file, text(turn));
      await tenon.reloadPlugin("busy");
    }
    reloading.abort();
    await Promise.all(callers);
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(next).toBeGreaterThan(1000);
    expect(turns.size).toBeGreaterThan(10);
    await tenon.close();
  }, 120_000);
});

describe("a plugin that goes on with a call that was stopped", () => {
  it.each([
    ["blocks its loop", "for (;;);"],
    ["answers others meanwhile", "return new Promise(() => {});"],
  ])(
    "has its process ended and started again: one that %s",
    async (_name, rest) => {
      const tenon = fixture.open();
      const events = new EventBus({ now: Date.now });
      const { registry } = tenon;
      const plugins = new Plugins({
        config: resolveConfig({}),
        registry,
        extensions: createExtensions({ registry, events }),
        events,
        redact: (value) => value,
        now: Date.now,
        workspace: fixture.workspace,
        env: {},
        options: {},
        programs: { confine: () => unused, observe: unused },
        times: { graceMs: 200, restartMs: 20 },
      });
      const tools = `[tool("spin", () => { ${rest} }, { retry: { attempts: 0 } }), tool("pid", () => process.pid),
      tool("slow", () => new Promise((done) => setTimeout(done, 60_000)), { retry: { attempts: 0 } })]`;
      await plugins.load(fixture.put("spinner.mjs", plainPlugin("spinner", tools)));
      const { result: before } = await tenon.call({ name: "pid" });
      const lost = new Promise<{ message: string }>((resolve) => events.on("PLUGIN_FAILED", resolve));
      const other = tenon.call({ name: "slow" });
      const spinning = tenon.call({ name: "spin", timeoutMs: 100 });
      // Others do not notice.
      expect(await tenon.call({ name: "list_files", arguments: {} })).toSucceed();
      expect(await spinning).toFailWith("TIMED_OUT");
      expect((await lost).message).toContain("a stopped call did not end within 200 ms");
      // Except those in the same process, who can call again.
      expect(await other).toFailWith("PLUGIN_LOST", { retryable: true });
      const { result: after } = await tenon.call({ name: "pid" });
      expect(after).not.toBe(before);
      // A process that was killed is there until its parent has looked at it.
      await vi.waitFor(() => expect(() => process.kill(before as number, 0)).toThrow("ESRCH"), 10_000);
      await plugins.close();
      await tenon.close();
    },
    30_000,
  );
});

describe("the process of a plugin", () => {
  const hog = `import { spawn } from "node:child_process";
    const kept = [];
    ${plainPlugin(
      "hog",
      `[tool("fill", () => new Promise(() => {
          setInterval(() => kept.push(Buffer.alloc(8 * 1024 * 1024, 1)), 5);
        }), { retry: { attempts: 0 } }),
        tool("swarm", () => new Promise(() => {
          for (let at = 0; at < 12; at++) spawn("sleep", ["600"], { stdio: "ignore" });
        }), { retry: { attempts: 0 } }),
        tool("pid", () => process.pid)]`,
    )}`;

  it.each([
    ["fill", { memory: 300 * 1024 * 1024 }, "300 MiB of memory"],
    ["swarm", { processes: 8 }, "8 processes"],
  ])(
    "is ended where it goes beyond its limits, and started again: %s",
    async (name, limits, words) => {
      const tenon = fixture.open();
      const faults: string[] = [];
      tenon.on("PLUGIN_FAILED", ({ message }) => void faults.push(message));
      await tenon.loadPlugin(fixture.put("hog.mjs", hog), { limits });
      const { result: before } = await tenon.call({ name: "pid" });
      expect(await tenon.call({ name, timeoutMs: 20_000 })).toFailWith("PLUGIN_LOST");
      expect(faults.join()).toContain(words);
      await vi.waitFor(() => expect(() => process.kill(before as number, 0)).toThrow("ESRCH"), 10_000);
      expect((await tenon.call({ name: "pid" })).result).not.toBe(before);
      await tenon.close();
    },
    40_000,
  );
});
