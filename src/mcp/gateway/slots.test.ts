import { describe, expect, it } from "vitest";
import { createFaultLog } from "./fault-log.js";
import { createSlots } from "./slots.js";

const waits = { signal: new AbortController().signal };

describe("slots", () => {
  it("let so many in at a time, the others in their order", async () => {
    const slots = createSlots(2);
    const entered: string[] = [];
    const enter = async (name: string): Promise<() => void> => {
      const leave = await slots.take(waits);
      entered.push(name);
      return leave;
    };
    const [a, b] = [await enter("a"), await enter("b")];
    const [c, d] = [enter("c"), enter("d")];
    await new Promise(setImmediate);
    expect(entered).toEqual(["a", "b"]);
    a();
    a(); // giving a place back twice makes no second one
    await c;
    await new Promise(setImmediate);
    expect(entered).toEqual(["a", "b", "c"]);
    b();
    (await d)();
    (await c)();
    const free = await Promise.all([slots.take(waits), slots.take(waits)]);
    expect(free).toHaveLength(2);
  });

  it("pass by who left the queue, and refuse who comes cancelled", async () => {
    const slots = createSlots(1);
    const leave = await slots.take(waits);
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [slots.take(first), slots.take(second)];
    first.abort(new Error("first left"));
    await expect(waiting[0]).rejects.toThrow("first left");
    leave();
    await waiting[1];
    // Who is in cannot be put out by its signal.
    second.abort();
    await expect(slots.take({ signal: AbortSignal.abort(new Error("late")) })).rejects.toThrow("late");
  });
});

describe("the fault log", () => {
  const open = () => {
    let now = 0;
    return createFaultLog(
      () => (now += 1),
      (text) => text.replaceAll("hunter2", "***"),
    );
  };

  it("counts equal faults, the last one last, and keeps twenty different ones", () => {
    const log = open();
    for (const fault of ["a", "b", "a"]) log.add(fault);
    expect(log.faults()).toEqual([
      { message: "b", count: 1, at: 2 },
      { message: "a", count: 2, at: 3 },
    ]);
    for (let at = 0; at < 20; at++) log.add(`fault ${at}`);
    expect(log.faults()).toHaveLength(20);
    expect(log.faults()[0]?.message).toBe("fault 0");
  });

  it("keeps the last fifty lines, short, clean and without secrets", () => {
    const log = open();
    for (let at = 0; at < 51; at++) log.addOutput(`line ${at}`);
    expect(log.output()).toHaveLength(50);
    expect(log.output()[0]).toBe("line 1");
    log.addOutput(`hunter2\u202e${"x".repeat(600)}`);
    expect(log.output().at(-1)).toBe(`***${"x".repeat(493)}`);
    log.add("the password is hunter2");
    expect(log.faults().at(-1)?.message).toBe("the password is ***");
  });
});
