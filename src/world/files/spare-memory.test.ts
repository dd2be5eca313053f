import { describe, expect, it } from "vitest";
import { createSpareMemory } from "./spare-memory.js";

const megabyte = 1 << 20;

describe("spare memory", () => {
  it("is used again once it was given back, and by one at a time", () => {
    const spare = createSpareMemory();
    const first = spare.take(5 * megabyte);
    expect(first.length).toBeGreaterThanOrEqual(5 * megabyte);
    const second = spare.take(5 * megabyte);
    expect(second.buffer).not.toBe(first.buffer);
    spare.giveBack(first.subarray(10, 20));
    const third = spare.take(5 * megabyte);
    expect(third.buffer).toBe(first.buffer);
    expect(spare.take(5 * megabyte).buffer).not.toBe(first.buffer);
  });

  it("has room for a file that grew a little, and new memory for a larger one", () => {
    const spare = createSpareMemory();
    const first = spare.take(5 * megabyte);
    spare.giveBack(first);
    expect(spare.take(5 * megabyte + 1000).buffer).toBe(first.buffer);
    spare.giveBack(first);
    expect(spare.take(7 * megabyte).length).toBeGreaterThanOrEqual(7 * megabyte);
  });
});
