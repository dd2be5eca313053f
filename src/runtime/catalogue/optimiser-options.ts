import type { SpineParts } from "../../call/parts.js";
import type { ResolvedConfig } from "../../config/resolve-config.js";
import type { Metrics } from "../../record/metrics.js";
import type { OptimiserOptions } from "../../record/optimiser.js";

/** Connect the optimiser to the settings of the tool version that calls get by default. */
export function createOptimiserOptions({
  config,
  spine,
  metrics,
}: {
  readonly config: ResolvedConfig;
  readonly spine: SpineParts;
  readonly metrics: Metrics;
}): OptimiserOptions {
  const { registry, scheduler, settings, events, clock } = spine;
  return {
    mode: config.optimiser,
    metrics,
    now: clock.monotonic,
    emit: ({ toolName, kind, message, applied }) =>
      events.emit("ADVICE", { toolName, kind, message, applied }),
    current(toolName) {
      const entry = registry.entry(toolName);
      if (entry === undefined) return undefined;
      const { timeoutMs, limits, annotations, exclusive } = settings(entry);
      const max = Math.min(scheduler.loadOf(limits).max, config.tools.maxConcurrent);
      return {
        timeoutMs,
        max: exclusive ? 1 : max,
        cacheable: annotations.cacheable === true,
        readOnly: annotations.readOnly === true,
        ...(exclusive && { maxCap: 1 }),
      };
    },
    apply: {
      setTimeout(toolName, ms) {
        const entry = registry.entry(toolName);
        if (entry !== undefined) settings(entry).timeoutMs = ms;
      },
      setConcurrency(toolName, max) {
        const entry = registry.entry(toolName);
        if (entry !== undefined) scheduler.setToolMax(settings(entry).limits, max);
      },
    },
  };
}
