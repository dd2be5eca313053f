import { LoopGuard } from "../../call/loop-guard.js";
import type { SpineParts } from "../../call/parts.js";
import { ResultCache } from "../../call/result-cache.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { Clock } from "../../contract/ports/clock.js";
import { systemClock } from "../world/system-clock.js";

/** The cache, the budgets and the loop guard, as the configuration wants them. */
export function createOutputParts(
  { tools }: ResolvedConfig,
  clock: Clock,
): Pick<SpineParts, "cache" | "loopGuard" | "output"> {
  const { cache, loopGuard, output } = tools;
  return {
    output,
    // Files are stamped by the machine's clock, whatever time the runtime is told.
    cache: cache.enabled
      ? new ResultCache(cache, { monotonic: clock.monotonic, wallTime: systemClock.now })
      : undefined,
    loopGuard: loopGuard.enabled ? new LoopGuard(loopGuard, clock) : undefined,
  };
}
