import { isLongRun } from "./random-cases.js";

const maxSteps = 200;

/**
 * Kill a task at its first step, at one in `stride` of the others, at random, and at its last; at every one in
 * `npm run check:long`. Returns the last step.
 * @param killAt Runs the task from its beginning and checks what it left; false where it ended before that step.
 */
export async function killEverywhere(
  killAt: (step: number) => Promise<boolean>,
  stride: number,
): Promise<number> {
  let last = 0;
  let step = 1;
  while (await killAt(step)) {
    last = step;
    step += isLongRun ? 1 : 1 + Math.floor(Math.random() * (2 * stride - 1));
    if (step > maxSteps) throw new Error(`The task has not ended after ${maxSteps} steps.`);
  }
  for (step -= 1; step > last; step -= 1) if (await killAt(step)) return step;
  return last;
}
