import { expect, it } from "vitest";
import { BatchBudget } from "./batch-budget.js";

it("shares what is left among the answers that are still to come", () => {
  const budget = new BatchBudget(100, 3);
  const shares = [20, 30, 60, 5].map((spent) => {
    const { share } = budget;
    budget.spend(spent);
    return share;
  });
  // Each that needs less leaves more to the others; the last gets all, and none is left to spend twice.
  expect([...shares, budget.share]).toEqual([33, 40, 50, 0, 0]);
});

it("has a share for an answer that nobody counted", () => {
  expect(new BatchBudget(100, 0).share).toBe(100);
});
