import { describe, expect, it } from "vitest";
import type { Tool } from "../contract/tool.js";
import type { ToolEntry } from "./tool-entry.js";
import { codeOf, gate, make, turn, view } from "./registry.fixture.js";
import { ToolRegistry } from "./tool-registry.js";

describe("unregister and close", () => {
  it("wait for running calls, then dispose", async () => {
    const log: string[] = [];
    const registry = new ToolRegistry({
      emit: (name, payload) => void log.push("to" in payload ? payload.to : name),
    });
    const entry = registry.register(make({ dispose: async () => void log.push("dispose") }));
    void entry.begin();
    log.length = 0;
    const gone = registry.unregister("t").then((answer) => log.push(`answer ${answer}`));
    expect(registry.has("t")).toBe(false);
    expect(codeOf(() => entry.begin())).toBe("TOOL_DISABLED");
    await turn();
    expect(log).toEqual(["TOOL_UNREGISTERED"]);
    expect(registry.state("t")).toBe("Executing");
    entry.end("ok");
    await gone;
    expect(log.slice(1)).toEqual(["Ready", "dispose", "Unregistered", "answer true"]);
    expect(registry.state("t")).toBe("Unregistered");
  });

  it("let a call that waits for init run first", async () => {
    const started = gate();
    const registry = new ToolRegistry();
    const entry = registry.register(make({ init: () => started.promise }));
    const waiting = entry.begin();
    const gone = registry.unregister("t");
    started.open();
    await waiting;
    expect(entry.state).toBe("Executing");
    entry.end("ok");
    expect(await gone).toBe(true);
    expect(entry.state).toBe("Unregistered");
  });

  it("are not stopped by a dispose that throws or hangs", async () => {
    const registry = new ToolRegistry({ health: { initTimeoutMs: 5 } });
    registry.register(
      make({
        dispose: () => {
          throw new Error("stuck");
        },
      }),
    );
    registry.register(make({ name: "u", dispose: () => new Promise(() => undefined) }));
    expect(await registry.unregister("t")).toBe(true);
    expect(registry.history("t").at(-1)).toMatchObject({
      to: "Unregistered",
      reason: "dispose failed: stuck",
    });
    await registry.close();
    expect(registry.history("u").at(-1)?.reason).toContain("longer than 5 ms");
  });

  it("do not dispose what never started", async () => {
    let disposed = 0;
    const registry = new ToolRegistry();
    const dispose = (): void => void disposed++;
    registry.register(make({ init: () => undefined, dispose }));
    registry.register(make({ name: "u", dispose }));
    await registry.close();
    expect(disposed).toBe(1);
    expect(codeOf(() => registry.resolve("t", view))).toBe("RUNTIME_CLOSED");
    expect(codeOf(() => registry.register(make()))).toBe("RUNTIME_CLOSED");
    await registry.close();
  });

  it("forget the oldest of the tools that left", async () => {
    const registry = new ToolRegistry();
    for (let i = 0; i < 500; i++) {
      registry.register(make({ name: `t${i}` }));
      await registry.unregister(`t${i}`);
    }
    expect(registry.state("t499@1.0.0")).toBe("Unregistered");
    expect(registry.state("t300")).toBe("Unregistered");
    expect(() => registry.state("t299")).toThrow(/not found/);
    expect(() => registry.state("t0")).toThrow(/not found/);
  });
});

describe("replace", () => {
  it("lets running calls finish on the old one, which is disposed after its last", async () => {
    const disposed: string[] = [];
    const registry = new ToolRegistry();
    const old = registry.register(make({ dispose: () => void disposed.push("old") }));
    void old.begin();
    void old.begin();
    const next = registry.replace(make({ version: "1.1.0" }));
    expect(registry.resolve("t", view)).toBe(next);
    expect(old.successor).toBe(next);
    expect(codeOf(() => old.begin())).toBe("TOOL_DISABLED");
    old.end("ok");
    await turn();
    expect(disposed).toEqual([]);
    old.end("ok");
    await turn();
    expect(disposed).toEqual(["old"]);
    expect(old.state).toBe("Unregistered");
    expect(registry.state("t")).toBe("Registered");
  });

  it("takes the place of the same version, takes in what is new, and leaves all where it fails", () => {
    const registry = new ToolRegistry();
    registry.registerMany([make(), make({ version: "2.0.0" }), make({ name: "u", aliases: ["nick"] })]);
    const first = registry.replace(make());
    expect(registry.resolve("t@1", view)).toBe(first);
    expect(registry.resolve("t", view).version).toBe("2.0.0");
    expect(registry.replace(make({ name: "v" })).name).toBe("v");
    expect(() => registry.replace(make({ aliases: ["NICK"] }))).toThrow(/equals a name/);
    expect(() => registry.replace(make({ dependsOn: ["nowhere"] }))).toThrow(/not registered/);
    expect(registry.resolve("t@1", view)).toBe(first);
    expect(first.state).toBe("Registered");
  });

  it("drops no call under load: each ends where it began and every old one is disposed once", async () => {
    const disposed: number[] = [];
    const registry = new ToolRegistry();
    let serial = 0;
    const next = (): Tool => {
      const own = serial++;
      return make({ init: turn, dispose: () => void disposed.push(own) });
    };
    registry.register(next());
    let refused = 0;
    const caller = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) {
        let entry: ToolEntry = registry.resolve("t", view);
        if (i % 3 === 0) await turn();
        while (entry.successor !== undefined) entry = entry.successor;
        await entry.begin();
        await turn();
        if (entry.state !== "Executing") refused++;
        entry.end("ok");
      }
    };
    const callers = Array.from({ length: 20 }, caller);
    for (let i = 0; i < 100; i++) {
      await turn();
      registry.replace(next());
    }
    await Promise.all(callers);
    await registry.close();
    expect(refused).toBe(0);
    expect(new Set(disposed).size).toBe(disposed.length);
    expect(disposed.length).toBeGreaterThan(20);
  });
});
