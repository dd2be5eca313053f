import { expect, test } from "vitest";
import { RequestTurns } from "./request-turns.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Requests that note when they go on, and after a wait as short as that of a record. */
function follow(turns: RequestTurns): { readonly come: (name: string) => void; readonly steps: string[] } {
  const steps: string[] = [];
  const come = (name: string): void => {
    void turns.next().then(async () => {
      steps.push(`${name} began`);
      await Promise.resolve();
      steps.push(`${name} ended`);
    });
  };
  return { come, steps };
}

test("requests of one turn of the event loop begin together, once all of them came", async () => {
  const { come, steps } = follow(new RequestTurns());
  come("a");
  await Promise.resolve();
  come("b");
  expect(steps).toEqual([]);
  await turn();
  expect(steps).toEqual(["a began", "b began", "a ended", "b ended"]);
});

test("the first of many requests does not wait for all of the others", async () => {
  const { come, steps } = follow(new RequestTurns());
  for (let n = 1; n <= 10; n++) come(`${n}`);
  await turn();
  expect(steps.indexOf("1 ended")).toBeGreaterThan(steps.indexOf("8 began"));
  expect(steps.indexOf("1 ended")).toBeLessThan(steps.indexOf("9 began"));
  expect(steps).toHaveLength(20);
});

test("a request that comes in a later turn is not forgotten", async () => {
  const { come, steps } = follow(new RequestTurns());
  come("a");
  await turn();
  come("b");
  await turn();
  expect(steps).toEqual(["a began", "a ended", "b began", "b ended"]);
});
