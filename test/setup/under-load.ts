import { availableParallelism, loadavg } from "node:os";

/**
 * A limit on elapsed time: as given on a quiet machine, and longer on a busy one, in proportion to how many processes
 * share a processor. What it guards against (a wait for a full time limit, quadratic work) takes many times longer.
 */
export function underLoad(milliseconds: number): number {
  const [lastMinute = 0] = loadavg();
  return milliseconds * Math.max(1, lastMinute / availableParallelism());
}
