import { LoopGuard } from "../../call/loop-guard.js";
import type { SpineParts } from "../../call/parts.js";
import { ResultCache } from "../../call/result-cache.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { Clock } from "../../contract/ports/clock.js";
import { systemClock } from "../../contract/system-clock.js";

/** The cache, the output limits and the loop guard of the configuration. */
export function createOutputOptions(
  { tools }: ResolvedConfig,
  clock: Clock,
): Pick<SpineParts, "cache" | "loopGuard" | "output"> {
  const { cache, loopGuard, output } = tools;
  return {
    output,
    // Files have times of the machine's clock, even if the runtime uses another one.
    cache: cache.enabled
      ? new ResultCache(cache, { monotonic: clock.monotonic, wallTime: systemClock.now })
      : undefined,
    loopGuard: loopGuard.enabled ? new LoopGuard(loopGuard, clock) : undefined,
  };
}
