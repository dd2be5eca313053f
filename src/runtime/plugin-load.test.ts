import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, it, vi } from "vitest";
import { resolveConfig } from "../config/resolve-config.js";
import { EventBus } from "../record/event-bus.js";
import { createExtensions } from "./extensions.js";
import { createPluginGround, plainPlugin } from "./plugin-ground.fixture.js";
import { Plugins } from "./plugins.js";

const ground = createPluginGround();
afterAll(() => ground.end());

describe("a plugin under load", () => {
  it("answers every one of a thousand calls in flight while it is reloaded fifty times", async () => {
    const text = (turn: number): string =>
      plainPlugin(
        "busy",
        `[tool("echo", async ({ n }, ctx) => { await ctx.clock.sleep(250 + (n * 37) % 1000); return { n, turn: ${turn} }; }, { annotations: {} })]`,
      );
    const file = ground.put("busy.mjs", text(0));
    const tenon = ground.open({
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
    for (let turn = 1; turn <= 50; turn++) {
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

describe("a plugin that blocks its loop", () => {
  it("is found out when a call that was stopped does not end, and started anew", async () => {
    const tenon = ground.open();
    const events = new EventBus({ now: Date.now });
    const { registry } = tenon;
    const plugins = new Plugins({
      config: resolveConfig({}),
      registry,
      extensions: createExtensions({ registry, events }),
      events,
      redact: (value) => value,
      now: Date.now,
      workspace: ground.workspace,
      env: {},
      options: {},
      times: { graceMs: 200, restartMs: 20 },
    });
    const tools = `[tool("spin", () => { for (;;); }, { retry: { attempts: 0 } }), tool("pid", () => process.pid)]`;
    await plugins.load(ground.put("spinner.mjs", plainPlugin("spinner", tools)));
    const { result: before } = await tenon.call({ name: "pid" });
    const lost = new Promise<{ message: string }>((resolve) => events.on("PLUGIN_FAILED", resolve));
    const spinning = tenon.call({ name: "spin", timeoutMs: 100 });
    // Others do not notice.
    expect(await tenon.call({ name: "list_files", arguments: {} })).toMatchObject({ success: true });
    expect(await spinning).toMatchObject({ error: { code: "TIMED_OUT" } });
    expect((await lost).message).toContain("blocked");
    const { result: after } = await tenon.call({ name: "pid" });
    expect(after).not.toBe(before);
    // A process that was killed is there until its parent has looked at it.
    await vi.waitFor(() => expect(() => process.kill(before as number, 0)).toThrow("ESRCH"), 10_000);
    await plugins.close();
    await tenon.close();
  }, 30_000);
});
