import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeadlineWheel } from "./deadline-wheel.js";

const longest = 2 ** 31 - 1;

describe("DeadlineWheel", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const monotonic = (): number => performance.now();
  const create = () => new DeadlineWheel({ monotonic });

  it("is not moved by a resume without a pause, and fires once", () => {
    const wheel = create();
    const fired: number[] = [];
    const deadline = wheel.add(100, () => fired.push(monotonic()));
    const begun = monotonic();
    vi.advanceTimersByTime(50);
    wheel.resume(deadline);
    vi.advanceTimersByTime(1000);
    wheel.resume(deadline);
    vi.advanceTimersByTime(1000);
    expect(fired).toHaveLength(1);
    expect(fired[0]! - begun).toBeLessThanOrEqual(106);
    wheel.close();
  });

  it("is never early and late by at most a twentieth", () => {
    const limits = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 200_000 })),
      {
        maxLength: 40,
        size: "max",
      },
    );
    fc.assert(
      fc.property(limits, (lengths) => {
        const wheel = create();
        const late: number[] = [];
        for (const ms of lengths) {
          const due = monotonic() + ms;
          wheel.add(ms, () => late.push((monotonic() - due) / Math.max(ms / 20, 1)));
          vi.advanceTimersByTime(1);
        }
        vi.advanceTimersByTime(220_000);
        expect(late).toHaveLength(lengths.length);
        expect(Math.min(0, ...late)).toBe(0);
        expect(Math.max(0, ...late)).toBeLessThanOrEqual(1);
        wheel.close();
      }),
    );
  });

  it("fires short limits to the millisecond", () => {
    const wheel = create();
    const fired: number[] = [];
    for (const ms of [1, 5, 10, 33, 63, 64]) wheel.add(ms, () => fired.push(monotonic()));
    const start = monotonic();
    vi.advanceTimersByTime(100);
    expect(fired.map((time) => time - start)).toEqual([1, 5, 10, 33, 63, 64]);
  });

  it("forgets what was removed, wherever it stood", () => {
    const wheel = create();
    const fired: number[] = [];
    const deadlines = [0, 1, 2, 3, 4].map((n) => wheel.add(50, () => fired.push(n)));
    for (const n of [0, 2, 4, 2]) wheel.remove(deadlines[n]!);
    vi.advanceTimersByTime(100);
    expect(fired).toEqual([1, 3]);
    for (const deadline of deadlines) wheel.remove(deadline);
    wheel.add(50, () => fired.push(5));
    vi.advanceTimersByTime(100);
    expect(fired).toEqual([1, 3, 5]);
  });

  it("uses one timer for any number of limits", () => {
    const wheel = create();
    for (let n = 0; n < 1000; n++) wheel.remove(wheel.add(30_000, () => {}));
    for (let n = 0; n < 1000; n++) wheel.add(30_000 + n, () => {});
    expect(vi.getTimerCount()).toBe(1);
  });

  it("sets no timer again once nothing is left", () => {
    const wheel = create();
    wheel.remove(wheel.add(10, () => {}));
    vi.advanceTimersByTime(20);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not count the time of a pause", () => {
    const wheel = create();
    const onDeadline = vi.fn<() => void>();
    const deadline = wheel.add(60, onDeadline);
    vi.advanceTimersByTime(40);
    wheel.pause(deadline);
    vi.advanceTimersByTime(300_000);
    expect(onDeadline).not.toHaveBeenCalled();
    wheel.resume(deadline);
    vi.advanceTimersByTime(19);
    expect(onDeadline).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onDeadline).toHaveBeenCalledOnce();
  });

  it("runs on only when the last of several pauses ends", () => {
    const wheel = create();
    const onDeadline = vi.fn<() => void>();
    const deadline = wheel.add(60, onDeadline);
    wheel.pause(deadline);
    wheel.pause(deadline);
    wheel.resume(deadline);
    vi.advanceTimersByTime(1000);
    expect(onDeadline).not.toHaveBeenCalled();
    wheel.resume(deadline);
    wheel.resume(deadline);
    vi.advanceTimersByTime(60);
    expect(onDeadline).toHaveBeenCalledOnce();
  });

  it("does not wake what was removed, fired or closed by a resume", () => {
    const wheel = create();
    const onDeadline = vi.fn<() => void>();
    const removed = wheel.add(10, onDeadline);
    wheel.pause(removed);
    wheel.remove(removed);
    wheel.resume(removed);
    const fired = wheel.add(10, onDeadline);
    vi.advanceTimersByTime(20);
    expect(onDeadline).toHaveBeenCalledOnce();
    wheel.pause(fired);
    wheel.resume(fired);
    const paused = wheel.add(10, onDeadline);
    wheel.pause(paused);
    wheel.add(10, onDeadline);
    wheel.close();
    wheel.resume(paused);
    wheel.add(10, onDeadline);
    vi.advanceTimersByTime(100);
    expect(onDeadline).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([NaN, Infinity, 1e308, 2 ** 31, longest])("takes %d as the longest limit, not as none", (ms) => {
    const wheel = create();
    const onDeadline = vi.fn<() => void>();
    wheel.add(ms, onDeadline);
    vi.advanceTimersByTime(86_400_000);
    expect(onDeadline).not.toHaveBeenCalled();
    vi.advanceTimersByTime(longest);
    expect(onDeadline).toHaveBeenCalledOnce();
  });

  it.each([0, -0, -5, -Infinity, 0.2])("fires %d soon, but never at once", (ms) => {
    const wheel = create();
    const onDeadline = vi.fn<() => void>();
    wheel.add(ms, onDeadline);
    expect(onDeadline).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onDeadline).toHaveBeenCalledOnce();
  });

  it("fires the others where one callback throws", () => {
    const wheel = create();
    const onDeadline = vi.fn<() => void>();
    wheel.add(10, () => {
      throw new Error("broken");
    });
    wheel.add(10, onDeadline);
    expect(() => vi.advanceTimersByTime(10)).toThrow("broken");
    vi.advanceTimersByTime(1);
    expect(onDeadline).toHaveBeenCalledOnce();
  });

  it("lets a callback add, remove and close", () => {
    const wheel = create();
    const fired: string[] = [];
    const victim = wheel.add(10, () => fired.push("victim"));
    wheel.remove(victim);
    wheel.add(10, () => {
      fired.push("first");
      wheel.remove(second);
      wheel.add(0, () => {
        fired.push("added");
        wheel.close();
      });
    });
    const second = wheel.add(10, () => fired.push("second"));
    wheel.add(12, () => fired.push("after close"));
    vi.advanceTimersByTime(50);
    expect(fired).toEqual(["first", "added"]);
  });
});

describe("DeadlineWheel on the real clock", () => {
  it("fires after its limit and keeps no process alive", async () => {
    const wheel = new DeadlineWheel({ monotonic: () => performance.now() });
    const start = performance.now();
    const hold = setTimeout(() => {}, 10_000);
    await new Promise<void>((resolve) => {
      wheel.add(20, resolve);
    });
    clearTimeout(hold);
    expect(performance.now() - start).toBeGreaterThanOrEqual(20);
    const active = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    wheel.add(60_000, () => {});
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout")).toHaveLength(active);
    wheel.close();
  });
});
