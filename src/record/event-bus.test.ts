import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TenonEvent } from "../contract/events.js";
import { EventBus } from "./event-bus.js";

const registered = { toolName: "echo", version: "1.0.0" };

describe("EventBus", () => {
  it("delivers a payload to the listeners of its name only, in order of registration", () => {
    const bus = new EventBus();
    const heard: string[] = [];
    bus.on("TOOL_REGISTERED", ({ toolName }) => void heard.push(`first ${toolName}`));
    bus.onAny((event) => void heard.push(`any ${event.type}`));
    bus.on("TOOL_REGISTERED", () => void heard.push("last"));
    bus.on("TOOL_UNREGISTERED", () => void heard.push("never"));
    bus.emit("TOOL_REGISTERED", registered);
    expect(heard).toEqual(["first echo", "any TOOL_REGISTERED", "last"]);
  });

  it("gives listeners of all events the name, the time and the payload", () => {
    const bus = new EventBus({ now: () => 42 });
    const events: TenonEvent[] = [];
    bus.onAny((event) => void events.push(event));
    bus.emit("TOOL_REGISTERED", registered);
    expect(events).toEqual([{ type: "TOOL_REGISTERED", time: 42, payload: registered }]);
    expect(Object.isFrozen(events[0])).toBe(true);
  });

  it("knows whether anybody listens", () => {
    const bus = new EventBus();
    expect(bus.has("ADVICE")).toBe(false);
    const off = bus.on("ADVICE", () => {});
    expect(bus.has("ADVICE")).toBe(true);
    expect(bus.has("TOOL_REGISTERED")).toBe(false);
    off();
    expect(bus.has("ADVICE")).toBe(false);
    const offAny = bus.onAny(() => {});
    expect(bus.has("TOOL_REGISTERED")).toBe(true);
    offAny();
    expect(bus.has("TOOL_REGISTERED")).toBe(false);
  });

  it("runs the other listeners when one throws, and reports it", () => {
    const bus = new EventBus();
    const failures: unknown[] = [];
    let reached = false;
    bus.on("LISTENER_FAILED", (failure) => void failures.push(failure));
    bus.on("TOOL_REGISTERED", () => {
      throw new Error("broken");
    });
    bus.on("TOOL_REGISTERED", () => void (reached = true));
    bus.emit("TOOL_REGISTERED", registered);
    expect(reached).toBe(true);
    expect(failures).toEqual([{ event: "TOOL_REGISTERED", message: "broken" }]);
  });

  it("reports a listener that rejects", async () => {
    const bus = new EventBus();
    const failure = new Promise((resolve) => void bus.on("LISTENER_FAILED", resolve));
    bus.on("TOOL_REGISTERED", () => Promise.reject(new Error("later")));
    bus.emit("TOOL_REGISTERED", registered);
    expect(await failure).toEqual({ event: "TOOL_REGISTERED", message: "later" });
  });

  it("never recurses when the listener of failures fails too", async () => {
    const bus = new EventBus();
    let asked = 0;
    bus.on("LISTENER_FAILED", () => {
      asked += 1;
      throw new Error("again");
    });
    bus.onAny(async (event) => {
      if (event.type === "LISTENER_FAILED") asked += 1;
      throw new Error("always");
    });
    bus.emit("TOOL_REGISTERED", registered);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toBe(2);
  });

  it("survives whatever is thrown or returned", async () => {
    const bus = new EventBus();
    const messages: string[] = [];
    bus.on("LISTENER_FAILED", ({ message }) => void messages.push(message));
    const unprintable = {
      toString() {
        throw new Error("no");
      },
    };
    const thrown: unknown[] = [unprintable, undefined, null, 7n, Symbol("s"), "x".repeat(10_000)];
    for (const value of thrown) {
      bus.on("ADVICE", () => {
        throw value;
      });
    }
    const badThenable: object = new Proxy(
      {},
      {
        get() {
          throw new Error("then");
        },
      },
    );
    bus.on("ADVICE", () => badThenable as Promise<void>);
    bus.emit("ADVICE", { toolName: "t", kind: "k", message: "m", applied: false });
    await new Promise((resolve) => setImmediate(resolve));
    expect(messages).toHaveLength(thrown.length + 1);
    expect(messages.at(-1)).toBe("then");
    expect(Math.max(...messages.map((m) => m.length))).toBeLessThanOrEqual(500);
  });

  it("does not call a listener that was removed during the delivery, nor one that was added", () => {
    const bus = new EventBus();
    const heard: string[] = [];
    bus.on("TOOL_REGISTERED", () => {
      heard.push("first");
      off();
      bus.on("TOOL_REGISTERED", () => void heard.push("added"));
    });
    const off = bus.on("TOOL_REGISTERED", () => void heard.push("removed"));
    bus.on("TOOL_REGISTERED", () => void heard.push("last"));
    bus.emit("TOOL_REGISTERED", registered);
    expect(heard).toEqual(["first", "last"]);
    bus.emit("TOOL_REGISTERED", registered);
    expect(heard).toEqual(["first", "last", "first", "last", "added"]);
  });

  it("treats the same function registered twice as two listeners, and an end said twice as one", () => {
    const bus = new EventBus();
    let calls = 0;
    const listener = () => void (calls += 1);
    const off = bus.on("TOOL_REGISTERED", listener);
    bus.on("TOOL_REGISTERED", listener);
    bus.emit("TOOL_REGISTERED", registered);
    off();
    off();
    bus.emit("TOOL_REGISTERED", registered);
    expect(calls).toBe(3);
  });

  it("comes back when a listener emits its own event without end, and still works", () => {
    const bus = new EventBus();
    let heard = 0;
    const off = bus.on("TOOL_REGISTERED", () => bus.emit("TOOL_REGISTERED", registered));
    expect(() => bus.emit("TOOL_REGISTERED", registered)).not.toThrow();
    off();
    bus.on("TOOL_REGISTERED", () => void (heard += 1));
    bus.emit("TOOL_REGISTERED", registered);
    expect(heard).toBe(1);
  });

  it("delivers to exactly the present listeners while others come and go", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("add" as const), any: fc.boolean() }),
      fc.record({ do: fc.constant("remove" as const), index: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const bus = new EventBus();
        let living: { id: number; off: () => void }[] = [];
        let heard: number[] = [];
        let next = 0;
        for (const s of steps) {
          if (s.do === "add") {
            const id = next++;
            const listener = () => void heard.push(id);
            living.push({ id, off: s.any ? bus.onAny(listener) : bus.on("TOOL_REGISTERED", listener) });
          } else {
            living[s.index]?.off();
            living = living.filter((_, index) => index !== s.index);
          }
          heard = [];
          bus.emit("TOOL_REGISTERED", registered);
          expect(heard).toEqual(living.map(({ id }) => id));
          expect(bus.has("TOOL_REGISTERED")).toBe(living.length > 0);
        }
      }),
    );
  });
});
