import type { AuditUsage, UsageTotals } from "../contract/ports/audit.js";
import type { CallMetrics, ToolMetrics } from "../record/tool-metrics.js";
import { tokensInBytes } from "../text/estimate-tokens.js";
import type { ExperimentRow, MetricsSeries, MetricsView } from "./api.js";
import type { RouteContext } from "./route-context.js";

/** The numbers of a range of time, and what runs now. */
export async function toMetricsView(served: RouteContext, minutes: number): Promise<MetricsView> {
  const { tenon, advice, clients, startedAt } = served;
  const { tools, overall, host } = tenon.metrics.snapshot();
  const isLogged = tenon.config.audit.enabled;
  const usage = isLogged ? await usageSince(served, minutes) : undefined;
  return {
    since: usage?.from ?? startedAt,
    total: usage?.total ?? toTotals(overall),
    tools: (usage?.tools ?? tools.filter(({ calls }) => calls > 0).map(toNamed)).map((row) => ({
      ...row,
      definitionTokens: served.definitionTokens(row.tool),
      resultTokens: row.results.calls === 0 ? 0 : tokensInBytes(row.results.totalBytes / row.results.calls),
    })),
    concurrency: {
      running: overall.concurrency.now,
      waiting: tenon.stats().waiting,
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

const maxIntervals = 120;
const maxUsages = 10;

/** The same over time; empty where the log is switched off. */
export async function toMetricsSeries(served: RouteContext, minutes: number): Promise<MetricsSeries> {
  const { from, widthMs, series } = await usageSince(served, minutes);
  return { ...series, time: series.calls.map((_, at) => from + at * widthMs), widthMs };
}

/** Both views of a page, and the pages of other people, share what was read for one of them. */
const sharedMs = 2000;

function usageSince({ tenon, now, usages }: RouteContext, minutes: number): Promise<AuditUsage> {
  const known = usages.get(minutes);
  if (known !== undefined && now() - known.at < sharedMs) return known.usage;
  const until = now();
  const range = { since: until - minutes * 60_000, until };
  const usage = tenon.audit.usage(range, Math.min(maxIntervals, minutes * 6));
  usages.set(minutes, { at: until, usage });
  usage.catch(() => usages.delete(minutes));
  if (usages.size > maxUsages) usages.delete([...usages.keys()][0] as number);
  return usage;
}

function toNamed(metrics: ToolMetrics): UsageTotals & { readonly tool: string } {
  return { tool: metrics.toolName, ...toTotals(metrics) };
}

function toTotals({ calls, failures, duration, errors }: CallMetrics): UsageTotals {
  return {
    calls,
    failures,
    denied: 0,
    avgMs: duration.avg,
    p50Ms: duration.p50,
    p95Ms: duration.p95,
    p99Ms: duration.p99,
    maxMs: duration.max,
    people: { calls: 0, totalMs: 0, maxMs: 0 },
    results: { calls: 0, totalBytes: 0 },
    errors,
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
