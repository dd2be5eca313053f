import type { CallMetrics, ToolMetrics } from "../record/tool-metrics.js";
import type { ExperimentRow, MetricsView, ToolMetricsRow } from "./api.js";
import type { RouteContext } from "./route-context.js";

export function toMetricsView({ tenon, advice, clients }: RouteContext): MetricsView {
  const { tools, overall, host } = tenon.metrics.snapshot();
  const { waiting } = tenon.stats();
  return {
    tools: tools.filter(({ calls, concurrency }) => calls > 0 || concurrency.now > 0).map(toMetricsRow),
    concurrency: {
      running: overall.concurrency.now,
      waiting,
      mean: overall.concurrency.mean,
      peak: overall.concurrency.peak,
    },
    host: host ?? { memoryBytes: 0, cpuMs: 0 },
    experiments: tools.flatMap(({ toolName }) => toExperiment(tenon, toolName) ?? []),
    clients: clients.rows(),
    advice,
    alerts: tenon.audit.alerts(),
  };
}

function toMetricsRow({
  toolName,
  calls,
  successes,
  failures,
  duration,
  waits,
  errors,
}: ToolMetrics): ToolMetricsRow {
  return {
    tool: toolName,
    calls,
    successes,
    failures,
    avgMs: duration.avg,
    p50Ms: duration.p50,
    p95Ms: duration.p95,
    p99Ms: duration.p99,
    maxMs: duration.max,
    waitedShare: duration.count === 0 ? 0 : Math.min(1, waits.count / duration.count),
    errorsByType: errors,
  };
}

function toExperiment({ registry, metrics }: RouteContext["tenon"], tool: string): ExperimentRow | undefined {
  const { split } = registry.versions(tool);
  if (split.length === 0) return undefined;
  const measured = new Map<string | undefined, CallMetrics>(
    metrics.versions(tool).map((one) => [one.version, one]),
  );
  const arms = split.map(({ version, weight }) => {
    const { calls = 0, failures = 0, duration } = measured.get(version) ?? {};
    return { version, weight, calls, failures, p50Ms: duration?.p50 ?? 0, p95Ms: duration?.p95 ?? 0 };
  });
  return { tool, arms };
}
