import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../contract/errors.js";
import { type ToolState, toolStates } from "../contract/lifecycle.js";
import { canTransition, legalTransitions, Lifecycle, TransitionHub } from "./lifecycle.js";

const legal = new Set([
  "Registered>Initializing",
  "Registered>Unregistered",
  "Initializing>Ready",
  "Initializing>Failed",
  "Ready>Executing",
  "Ready>Disabled",
  "Ready>Unregistered",
  "Executing>Ready",
  "Executing>Error",
  "Error>Ready",
  "Error>Disabled",
  "Error>Unregistered",
  "Failed>Initializing",
  "Failed>Unregistered",
  "Disabled>Ready",
  "Disabled>Unregistered",
]);

const wayTo: Record<ToolState, ToolState[]> = {
  Registered: [],
  Initializing: ["Initializing"],
  Ready: ["Initializing", "Ready"],
  Executing: ["Initializing", "Ready", "Executing"],
  Error: ["Initializing", "Ready", "Executing", "Error"],
  Failed: ["Initializing", "Failed"],
  Disabled: ["Initializing", "Ready", "Disabled"],
  Unregistered: ["Unregistered"],
};

function lifeIn(state: ToolState, hub = new TransitionHub()): Lifecycle {
  let time = 0;
  const life = new Lifecycle({ name: "t", version: "1.0.0" }, { now: () => ++time }, hub);
  for (const step of wayTo[state]) life.move(step);
  return life;
}

const pairs = toolStates.flatMap((from) => toolStates.map((to) => [from, to] as const));
const allowed = pairs.filter(([from, to]) => legal.has(`${from}>${to}`));
const forbidden = pairs.filter(([from, to]) => !legal.has(`${from}>${to}`));

describe("Lifecycle", () => {
  it.each(allowed)("goes from %s to %s", (from, to) => {
    const life = lifeIn(from);
    expect(canTransition(from, to)).toBe(true);
    life.move(to);
    expect(life.state).toBe(to);
  });

  it.each(forbidden)("refuses to go from %s to %s", (from, to) => {
    const life = lifeIn(from);
    const before = life.history();
    expect(canTransition(from, to)).toBe(false);
    expect(() => life.move(to)).toThrow(ToolDefinitionError);
    expect(() => life.move(to)).toThrow(expect.objectContaining({ code: "TRANSITION_ILLEGAL" }));
    expect(life.state).toBe(from);
    expect(life.history()).toEqual(before);
  });

  it("exports the table that it obeys", () => {
    const listed = toolStates.flatMap((from) => legalTransitions[from].map((to) => `${from}>${to}`));
    expect(new Set(listed)).toEqual(legal);
    expect(canTransition("constructor" as ToolState, "Ready")).toBe(false);
  });

  it("remembers the last 200 changes, oldest first, with time and reason", () => {
    const life = lifeIn("Ready");
    for (let i = 0; i < 150; i++) {
      life.move("Executing");
      life.move("Ready");
    }
    life.move("Disabled", "enough");
    const history = life.history();
    expect(history).toHaveLength(200);
    expect(history.at(-1)).toEqual({ from: "Ready", to: "Disabled", at: 303, reason: "enough" });
    for (let i = 1; i < history.length; i++) {
      expect(history[i]?.from).toBe(history[i - 1]?.to);
      expect(history[i]?.at).toBe((history[i - 1]?.at ?? 0) + 1);
    }
  });

  it("tells listeners before and after, and survives those that throw or reject", async () => {
    const seen: string[] = [];
    const hub = new TransitionHub(() => {
      throw new Error("emitter");
    });
    const life = lifeIn("Registered", hub);
    hub.add(() => {
      throw new Error("no");
    }, "before");
    const rejecting = (): unknown => Promise.reject(new Error("later"));
    hub.add(rejecting, "after");
    hub.add((t) => void seen.push(`before ${t.to} in ${life.state}`), "before");
    const stop = hub.add((t) => void seen.push(`after ${t.to} in ${life.state}`), "after");
    life.move("Initializing");
    stop();
    life.move("Failed", "broken");
    expect(seen).toEqual([
      "before Initializing in Registered",
      "after Initializing in Initializing",
      "before Failed in Initializing",
    ]);
    await new Promise(setImmediate);
  });
});
