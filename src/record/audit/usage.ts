import type { AuditUsage, UsageRange, UsageTotals } from "../../contract/ports/audit.js";
import { compileName } from "../../glob/name-glob.js";
import { DurationHistogram } from "../duration-histogram.js";
import { outcomes, type SegmentIndex } from "./segment-index.js";

/**
 * Numbers about the calls that ended in a range of time, from the indexes alone: no line is read. What people did without
 * calling a tool does not count.
 */
export function usageOf(
  indexes: readonly SegmentIndex[],
  { since, until, tool }: UsageRange,
  buckets: number,
): AuditUsage {
  const widthMs = Math.max(1, Math.ceil((until - since) / buckets));
  const tools = new Map<string, Sum>();
  const intervals = Array.from({ length: buckets }, createInterval);
  for (const index of indexes) {
    const fits = tool === undefined ? undefined : fittingNames(index, tool);
    for (let row = index.firstEndedSince(since); row < index.rows; row++) {
      const ended = index.ended.at(row);
      if (ended > until) break;
      if (!index.isCall(row) || index.isAct(row) || fits?.[index.tool.at(row)] === false) continue;
      const call = readRow(index, row);
      addTo(sumOf(tools, call.tool), call);
      const interval = intervals[Math.min(buckets - 1, Math.floor((ended - since) / widthMs))];
      if (interval !== undefined) countIn(interval, call);
      spread(intervals, call, { since, widthMs });
    }
  }
  const all = createSum();
  for (const sum of tools.values()) mergeInto(all, sum);
  return {
    from: since,
    widthMs,
    total: toTotals(all),
    tools: [...tools]
      .map(([name, sum]) => ({ tool: name, ...toTotals(sum) }))
      .toSorted((one, other) => other.calls - one.calls),
    series: toSeries(intervals, widthMs),
  };
}

interface Row {
  readonly tool: string;
  readonly outcome: (typeof outcomes)[number];
  readonly ended: number;
  readonly ranMs: number;
  readonly waitedMs: number;
  readonly resultBytes: number;
  readonly error: string;
}

function readRow(index: SegmentIndex, row: number): Row {
  const { names } = index.names;
  const time = index.time.at(row);
  // `ended` never falls from row to row, so it may be later than the call's own end.
  const ended = index.ended.at(row);
  const waitedMs = index.waited.at(row);
  return {
    tool: names[index.tool.at(row)] ?? "",
    outcome: outcomes[index.outcome.at(row)] ?? "failure",
    ended,
    ranMs: Math.max(0, index.duration.at(row) - waitedMs),
    waitedMs: Math.min(waitedMs, Math.max(0, ended - time)),
    resultBytes: index.resultBytes.at(row),
    error: names[index.error.at(row)] ?? "",
  };
}

function fittingNames({ names }: SegmentIndex, pattern: string): readonly boolean[] {
  const { test } = compileName(pattern);
  return names.names.map((name) => test(name));
}

interface Sum {
  calls: number;
  failures: number;
  denied: number;
  totalMs: number;
  maxMs: number;
  waited: number;
  waitedMs: number;
  maxWaitedMs: number;
  results: number;
  resultBytes: number;
  readonly durations: DurationHistogram;
  readonly errors: Map<string, number>;
}

function createSum(): Sum {
  const counts = { calls: 0, failures: 0, denied: 0, totalMs: 0, maxMs: 0 };
  const rest = { waited: 0, waitedMs: 0, maxWaitedMs: 0, results: 0, resultBytes: 0 };
  return { ...counts, ...rest, durations: new DurationHistogram(), errors: new Map() };
}

function sumOf(tools: Map<string, Sum>, tool: string): Sum {
  const known = tools.get(tool);
  if (known !== undefined) return known;
  const sum = createSum();
  tools.set(tool, sum);
  return sum;
}

function addTo(sum: Sum, { outcome, ranMs, waitedMs, resultBytes, error }: Row): void {
  sum.calls++;
  if (outcome === "failure" || outcome === "interrupted") sum.failures++;
  if (outcome === "denied") sum.denied++;
  if (error !== "") sum.errors.set(error, (sum.errors.get(error) ?? 0) + 1);
  if (waitedMs > 0) {
    sum.waited++;
    sum.waitedMs += waitedMs;
    sum.maxWaitedMs = Math.max(sum.maxWaitedMs, waitedMs);
  }
  if (resultBytes > 0) {
    sum.results++;
    sum.resultBytes += resultBytes;
  }
  if (!saysHowLong(outcome)) return;
  sum.durations.record(ranMs);
  sum.totalMs += ranMs;
  sum.maxMs = Math.max(sum.maxMs, ranMs);
}

function mergeInto(target: Sum, sum: Sum): void {
  target.calls += sum.calls;
  target.failures += sum.failures;
  target.denied += sum.denied;
  target.totalMs += sum.totalMs;
  target.maxMs = Math.max(target.maxMs, sum.maxMs);
  target.waited += sum.waited;
  target.waitedMs += sum.waitedMs;
  target.maxWaitedMs = Math.max(target.maxWaitedMs, sum.maxWaitedMs);
  target.results += sum.results;
  target.resultBytes += sum.resultBytes;
  target.durations.add(sum.durations);
  for (const [code, count] of sum.errors) target.errors.set(code, (target.errors.get(code) ?? 0) + count);
}

/** Neither a refusal nor a call that was cut off says how long the tool takes. */
function saysHowLong(outcome: Row["outcome"]): boolean {
  return outcome === "success" || outcome === "failure";
}

function toTotals(sum: Sum): UsageTotals {
  const { calls, failures, denied, maxMs, durations } = sum;
  const [p50Ms = 0, p95Ms = 0, p99Ms = 0] = durations
    .percentiles([0.5, 0.95, 0.99])
    .map((value) => Math.min(value, maxMs));
  return {
    calls,
    failures,
    denied,
    avgMs: durations.count === 0 ? 0 : sum.totalMs / durations.count,
    p50Ms,
    p95Ms,
    p99Ms,
    maxMs,
    people: { calls: sum.waited, totalMs: sum.waitedMs, maxMs: sum.maxWaitedMs },
    results: { calls: sum.results, totalBytes: sum.resultBytes },
    errors: Object.fromEntries([...sum.errors].toSorted(([, one], [, other]) => other - one)),
  };
}

interface Interval {
  calls: number;
  failures: number;
  denied: number;
  ranMs: number;
  waitedMs: number;
  readonly durations: DurationHistogram;
}

function createInterval(): Interval {
  return { calls: 0, failures: 0, denied: 0, ranMs: 0, waitedMs: 0, durations: new DurationHistogram() };
}

function countIn(interval: Interval, { outcome, ranMs }: Row): void {
  interval.calls++;
  if (outcome === "failure" || outcome === "interrupted") interval.failures++;
  if (outcome === "denied") interval.denied++;
  if (saysHowLong(outcome)) interval.durations.record(ranMs);
}

/** A call counts in every interval that it touches; a person is mostly asked before it runs, so waiting comes first. */
function spread(
  intervals: readonly Interval[],
  { ended, ranMs, waitedMs }: Row,
  { since, widthMs }: { readonly since: number; readonly widthMs: number },
): void {
  const began = ended - ranMs;
  add(began, ended, "ranMs");
  if (waitedMs > 0) add(began - waitedMs, began, "waitedMs");

  function add(from: number, to: number, key: "ranMs" | "waitedMs"): void {
    const first = Math.max(0, Math.floor((from - since) / widthMs));
    for (let at = first; since + at * widthMs < to; at++) {
      const start = since + at * widthMs;
      const interval = intervals[at];
      if (interval === undefined) break;
      interval[key] += Math.min(to, start + widthMs) - Math.max(from, start);
    }
  }
}

function toSeries(intervals: readonly Interval[], widthMs: number): AuditUsage["series"] {
  const percentile = (share: number) =>
    intervals.map(({ durations }) => (durations.count === 0 ? null : durations.percentile(share)));
  return {
    calls: intervals.map(({ calls }) => calls),
    failures: intervals.map(({ failures }) => failures),
    denied: intervals.map(({ denied }) => denied),
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
    running: intervals.map(({ ranMs }) => ranMs / widthMs),
    waitingForPeople: intervals.map(({ waitedMs }) => waitedMs / widthMs),
  };
}
