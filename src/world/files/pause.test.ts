import { expect, it } from "vitest";
import { createPause } from "./pause.js";

/** Work without a break for so many milliseconds. */
function work(ms: number): void {
  for (const began = performance.now(); performance.now() - began < ms;);
}

it("lets other work run after some milliseconds of work, and not before", async () => {
  const pause = createPause();
  expect(pause()).toBeUndefined();
  work(9);
  let others = 0;
  setImmediate(() => (others += 1));
  const turn = pause();
  expect(turn).toBeInstanceOf(Promise);
  expect(others).toBe(0);
  await turn;
  expect(others).toBe(1);
  // The time starts again with the end of a pause.
  expect(pause()).toBeUndefined();
  work(9);
  expect(pause()).toBeInstanceOf(Promise);
});
