import { afterEach, describe, expect, it } from "vitest";
import type { CallPriority } from "../protocol.js";
import { CallSlots } from "./call-slots.js";

let slots: CallSlots;
let asking = 0;
afterEach(() => slots.close());

function open(count: number): CallSlots {
  asking = 0;
  return (slots = new CallSlots({ slots: count, asking: () => asking }));
}

const long = 60_000;

/** Wait for a place, note when it came, and give it back. */
async function pass(name: string, order: string[], how: { priority?: CallPriority; withinMs?: number } = {}) {
  const leave = await slots.take(how.priority ?? "normal", how.withinMs ?? long);
  order.push(leave === undefined ? `${name} gave up` : name);
  leave?.();
}

describe("the places of a worker", () => {
  it("go to those of a higher priority first, the others as they came, without those that gave up", async () => {
    const leave = await open(1).take("normal", long);
    const order: string[] = [];
    const passing = [
      pass("first", order, { withinMs: 5 }),
      pass("low", order, { priority: "low" }),
      pass("a", order),
      pass("middle", order, { withinMs: 5 }),
      pass("b", order),
      pass("high", order, { priority: "high" }),
      pass("last", order, { withinMs: 5 }),
    ];
    const gaveUp = ["first gave up", "middle gave up", "last gave up"];
    await expect.poll(() => order).toEqual(gaveUp);
    // Who comes after the last in the line gave up waits behind those before it.
    passing.push(pass("c", order));
    leave?.();
    await Promise.all(passing);
    expect(order).toEqual([...gaveUp, "high", "a", "b", "c", "low"]);
  });

  it("are as many as there are, and one more for each call that waits for a person", async () => {
    open(2);
    const leaves = await Promise.all([slots.take("normal", long), slots.take("normal", long)]);
    const third = slots.take("normal", long);
    expect(await Promise.race([third, slots.take("normal", 5)])).toBeUndefined();
    asking = 1;
    expect(await third).toBeTypeOf("function"); // looked for now and then
    asking = 0;
    for (const leave of leaves) leave?.();
    expect(await slots.take("normal", long)).toBeTypeOf("function");
  });

  it("cost each call the same, however many wait", async () => {
    const cpuOf = async (count: number): Promise<number> => {
      const leave = await open(1).take("normal", long);
      const order: string[] = [];
      const before = process.cpuUsage();
      const passing = Array.from({ length: count }, () => pass("", order));
      leave?.();
      await Promise.all(passing);
      const { user, system } = process.cpuUsage(before);
      slots.close();
      expect(order).toHaveLength(count);
      return user + system;
    };
    await cpuOf(10_000); // compiled
    const few = await cpuOf(10_000);
    // Ten times as many; a hundred times the work where each looks at all the others.
    expect(await cpuOf(100_000)).toBeLessThan(few * 40 + 200_000);
  });
});
