import { describe, expect, it } from "vitest";
import { Slots, ToolSlots } from "./slots.js";
import type { Waiter } from "./ticket.js";

let order = 0;

function waiter(name: string, priority = 0): Waiter & { name: string } {
  return { name, priority, order: (order += 1), heapIndex: -1 } as never;
}

function nameOf(next: Waiter | undefined): string | undefined {
  return (next as { name?: string } | undefined)?.name;
}

describe("slots", () => {
  it("are limited over all and for each tool", () => {
    const slots = new Slots(3);
    const [one, two] = [new ToolSlots(2, 10), new ToolSlots(2, 10)];
    expect([slots.take(one), slots.take(one), slots.take(one)]).toEqual([true, true, false]);
    expect([slots.take(two), slots.take(two)]).toEqual([true, false]);
    expect([slots.running, slots.peakRunning, one.running, two.running]).toEqual([3, 3, 2, 1]);
    slots.free(one);
    expect([slots.take(one), slots.take(one)]).toEqual([true, false]);
    for (const tool of [one, one, two]) slots.free(tool);
    expect([slots.running, slots.peakRunning, one.peakRunning, two.peakRunning]).toEqual([0, 3, 2, 1]);
  });

  it("go to the highest priority, then to who came first, over all tools", () => {
    const slots = new Slots(10);
    const [one, two] = [new ToolSlots(10, 10), new ToolSlots(10, 10)];
    slots.enqueue(one, waiter("a"));
    slots.enqueue(two, waiter("b", 5));
    slots.enqueue(one, waiter("c", 5));
    slots.enqueue(two, waiter("d"));
    slots.enqueue(one, waiter("e", -1));
    const started = Array.from({ length: 6 }, () => nameOf(slots.next()));
    expect(started).toEqual(["b", "c", "a", "d", "e", undefined]);
  });

  it("pass by a tool that is full, until one of its calls ends", () => {
    const slots = new Slots(10);
    const [full, other] = [new ToolSlots(1, 10), new ToolSlots(1, 10)];
    slots.take(full);
    full.waiting = 1;
    slots.enqueue(full, waiter("first", 9));
    slots.enqueue(other, waiter("second"));
    expect([nameOf(slots.next()), nameOf(slots.next())]).toEqual(["second", undefined]);
    slots.free(full);
    expect([nameOf(slots.next()), nameOf(slots.next())]).toEqual(["first", undefined]);
  });

  it("start nobody beyond the limit, nor who withdrew", () => {
    const slots = new Slots(1);
    const tool = new ToolSlots(5, 10);
    const [one, two] = [waiter("one"), waiter("two")];
    slots.take(tool);
    slots.enqueue(tool, one);
    slots.enqueue(tool, two);
    expect(slots.next()).toBeUndefined();
    slots.withdraw(tool, one);
    slots.free(tool);
    expect([nameOf(slots.next()), nameOf(slots.next())]).toEqual(["two", undefined]);
  });
});
