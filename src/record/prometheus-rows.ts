import type { CallMetrics, ToolMetrics } from "./tool-metrics.js";

/** The numbers of one tool, or of the tools that are told together. */
export interface LabelledMetrics {
  readonly tool: string;
  readonly successes: number;
  readonly failures: number;
  readonly count: number;
  readonly totalMs: number;
  readonly maxMs: number;
  /** Empty where tools are told together: quantiles cannot be added up. */
  readonly quantiles: readonly (readonly [quantile: string, ms: number])[];
  readonly waits: number;
  readonly waitedMs: number;
  readonly running: number;
  readonly peak: number;
  readonly errors: readonly (readonly [type: string, count: number])[];
  readonly resources?: { readonly cpuMs: number; readonly ioBytes: number; readonly memoryPeakBytes: number };
}

/** The label of what is told together. */
const otherTools = "_other";
const otherErrors = "other";

/** At most `max` rows by name: the most called tools one by one, the rest together. */
export function mergeSmallest(
  tools: readonly ToolMetrics[],
  { maxTools, maxErrorTypes }: { readonly maxTools: number; readonly maxErrorTypes: number },
): LabelledMetrics[] {
  const ranked = tools.toSorted((a, b) => b.calls - a.calls || compare(a.toolName, b.toolName));
  const own = ranked.filter(({ toolName }) => toolName !== otherTools).slice(0, maxTools);
  const kept = new Set(own);
  const rest = ranked.filter((tool) => !kept.has(tool));
  const rows = own.map((tool) => toRow(tool, maxErrorTypes)).sort((a, b) => compare(a.tool, b.tool));
  return rest.length === 0 ? rows : [...rows, sumUp(rest, maxErrorTypes)];
}

function toRow(metrics: ToolMetrics, maxErrorTypes: number): LabelledMetrics {
  const { duration } = metrics;
  const quantiles =
    duration.count === 0
      ? []
      : ([
          ["0.5", duration.p50],
          ["0.95", duration.p95],
          ["0.99", duration.p99],
        ] as const);
  return {
    ...sumUp([metrics], maxErrorTypes),
    tool: metrics.toolName,
    quantiles,
  };
}

function sumUp(tools: readonly ToolMetrics[], maxErrorTypes: number): LabelledMetrics {
  const sum = (pick: (metrics: CallMetrics) => number): number =>
    tools.reduce((total, metrics) => total + pick(metrics), 0);
  const max = (pick: (metrics: CallMetrics) => number): number =>
    tools.reduce((most, metrics) => Math.max(most, pick(metrics)), 0);
  const hasResources = tools.some(({ resources }) => resources !== undefined);
  return {
    tool: otherTools,
    successes: sum((metrics) => metrics.successes),
    failures: sum((metrics) => metrics.failures),
    count: sum(({ duration }) => duration.count),
    totalMs: sum(({ duration }) => duration.total),
    maxMs: max(({ duration }) => duration.max),
    quantiles: [],
    waits: sum(({ waits }) => waits.count),
    waitedMs: sum(({ waits }) => waits.total),
    running: sum(({ concurrency }) => concurrency.now),
    peak: max(({ concurrency }) => concurrency.peak),
    errors: addErrors(tools, maxErrorTypes),
    ...(hasResources && {
      resources: {
        cpuMs: sum(({ resources }) => resources?.cpuMs ?? 0),
        ioBytes: sum(({ resources }) => resources?.ioBytes ?? 0),
        memoryPeakBytes: max(({ resources }) => resources?.memoryPeakBytes ?? 0),
      },
    }),
  };
}

function addErrors(tools: readonly ToolMetrics[], maxTypes: number): [string, number][] {
  const counts = new Map<string, number>();
  const add = (type: string, count: number): unknown => counts.set(type, (counts.get(type) ?? 0) + count);
  for (const { errors } of tools) for (const [type, count] of Object.entries(errors)) add(type, count);
  const ranked = [...counts].sort((a, b) => b[1] - a[1] || compare(a[0], b[0]));
  const own = ranked.filter(([type]) => type !== otherErrors).slice(0, maxTypes);
  const kept = new Set(own.map(([type]) => type));
  const rest = ranked.filter(([type]) => !kept.has(type)).reduce((sum, [, count]) => sum + count, 0);
  own.sort((a, b) => compare(a[0], b[0]));
  return rest === 0 ? own : [...own, [otherErrors, rest]];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
