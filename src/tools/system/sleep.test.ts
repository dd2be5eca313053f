import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { createTestClock, createTestContext } from "../testing/context.js";
import { sleepTool } from "./sleep.js";

describe("sleep", () => {
  it("ends when its time has come and not before", async () => {
    const clock = createTestClock();
    let ended = false;
    const sleeping = Promise.resolve(sleepTool.execute({ duration: 2.5 }, createTestContext({ clock })));
    const noted = sleeping.then(() => (ended = true));
    clock.advance(2_499);
    await Promise.resolve();
    expect(ended).toBe(false);
    clock.advance(1);
    expect(await sleeping).toEqual({ slept: 2.5 });
    await noted;
  });

  it("sleeps on a real clock too", async () => {
    const before = performance.now();
    expect(await sleepTool.execute({ duration: 0.03 }, createTestContext())).toEqual({ slept: 0.03 });
    expect(performance.now() - before).toBeGreaterThanOrEqual(28);
  });

  it("ends at once when cancelled, with the reason of the signal", async () => {
    const controller = new AbortController();
    const context = createTestContext({ signal: controller.signal });
    const sleeping = Promise.resolve(sleepTool.execute({ duration: 3600 }, context));
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });

  it("does not begin when it is cancelled already", async () => {
    const reason = new Error("too late");
    const context = createTestContext({ signal: AbortSignal.abort(reason) });
    await expect(sleepTool.execute({ duration: 0 }, context)).rejects.toBe(reason);
  });

  it("takes 0 to 3600 seconds and nothing else", () => {
    const input = sleepTool.input as z.ZodType;
    const fits = (duration: unknown) => input.safeParse({ duration }).success;
    expect([0, 0.001, 3600].map(fits)).toEqual([true, true, true]);
    for (const duration of [-1, 3600.1, Infinity, -Infinity, NaN, 2 ** 31, "1", null, undefined, [1]]) {
      expect(fits(duration)).toBe(false);
    }
  });

  it("has no time limit but its own", () => {
    expect(sleepTool.timeoutMs).toBeNull();
  });
});
