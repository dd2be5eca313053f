import { describe, expect, it } from "vitest";
import { createTimeLimit } from "./time-limit.js";

describe("a time limit", () => {
  it.each([
    ["all processor time", 1, 2000],
    ["a quarter of it", 1 / 4, 8000],
    ["almost none", 1 / 1000, 20_000],
  ])("counts processor time, with %s", (_, share, end) => {
    expect(endOf(2000, (wall) => wall * share)).toBeCloseTo(end, -3);
  });

  it("counts the time that passes where processor time is unknown", () => {
    expect(endOf(2000, () => undefined)).toBe(2000);
  });

  it("reads processor time only of work that takes long", () => {
    let reads = 0;
    let wall = 0;
    const cpuMs = () => ++reads;
    const isOver = createTimeLimit(2000, { wallMs: () => wall, cpuMs });
    for (; wall < 90; wall++) expect(isOver()).toBe(false);
    expect(reads).toBe(0);
    for (; wall < 1900; wall++) expect(isOver()).toBe(false);
    expect(reads).toBe(1);
  });
});

/** When work that asks every millisecond is told to end. */
function endOf(limitMs: number, cpuAt: (wall: number) => number | undefined): number {
  let wall = 0;
  const isOver = createTimeLimit(limitMs, { wallMs: () => wall, cpuMs: () => cpuAt(wall) });
  while (!isOver()) wall += 1;
  return wall;
}
