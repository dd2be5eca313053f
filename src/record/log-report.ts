import type { AuditOutcome } from "../contract/ports/audit.js";
import { tokensInBytes } from "../text/estimate-tokens.js";
import { DurationHistogram } from "./duration-histogram.js";

export interface ReportedCall {
  readonly time: number;
  readonly durationMs: number;
  readonly waitedForPersonMs?: number | undefined;
  readonly approval?: { readonly waitedMs: number } | undefined;
  readonly result?: unknown;
  readonly resultDigest?: { readonly bytes: number } | undefined;
  readonly tool: string;
  /** Set where a person acted and no tool was called. */
  readonly act?: string | undefined;
  readonly version?: string | undefined;
  readonly outcome: AuditOutcome;
  readonly error?: { readonly type: string } | undefined;
}

/** Numbers about some calls of one tool. Times are in milliseconds, without the time in which a person was waited for. */
export interface CallReport {
  readonly calls: number;
  readonly failures: number;
  readonly denied: number;
  readonly avg: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** Milliseconds in which a person was waited for, over all calls. */
  readonly waitedForPeople: number;
  /** About as many tokens as a result is to a model, on average. */
  readonly resultTokens: number;
}

/** What the log knows of one version of a tool. */
export interface VersionReport extends CallReport {
  readonly version: string;
}

/** What the log knows of the calls of one tool. */
export interface LoggedTool extends CallReport {
  readonly tool: string;
  readonly lastCall: number;
  /** Most calls in any one minute. */
  readonly busiestMinute: number;
  readonly errors: Readonly<Record<string, number>>;
  /** Version by version, to compare them. */
  readonly versions: readonly VersionReport[];
}

/** Add up the log tool by tool, the most called first; memory grows with the tools, not with the calls. */
export async function reportLog(calls: AsyncIterable<ReportedCall>): Promise<readonly LoggedTool[]> {
  const tools = new Map<string, ToolSum>();
  for await (const call of calls) {
    if (call.act !== undefined) continue;
    const sum = tools.get(call.tool) ?? createToolSum();
    tools.set(call.tool, sum);
    addCall(sum, call);
  }
  return [...tools].map(([tool, sum]) => toLogged(tool, sum)).sort((one, other) => other.calls - one.calls);
}

interface Sum {
  calls: number;
  failures: number;
  denied: number;
  total: number;
  max: number;
  waited: number;
  results: number;
  resultBytes: number;
  readonly durations: DurationHistogram;
}

interface ToolSum extends Sum {
  lastCall: number;
  /** The calls of the present minute. */
  minute: number;
  inMinute: number;
  busiestMinute: number;
  readonly errors: Map<string, number>;
  readonly versions: Map<string, Sum>;
}

function createSum(): Sum {
  const counts = { calls: 0, failures: 0, denied: 0, total: 0, max: 0 };
  return { ...counts, waited: 0, results: 0, resultBytes: 0, durations: new DurationHistogram() };
}

function createToolSum(): ToolSum {
  const counts = { lastCall: 0, minute: 0, inMinute: 0, busiestMinute: 0 };
  return { ...createSum(), ...counts, errors: new Map(), versions: new Map() };
}

function addCall(sum: ToolSum, call: ReportedCall): void {
  add(sum, call);
  sum.lastCall = Math.max(sum.lastCall, call.time);
  const minute = Math.floor(call.time / 60_000);
  sum.inMinute = minute === sum.minute ? sum.inMinute + 1 : 1;
  sum.minute = minute;
  sum.busiestMinute = Math.max(sum.busiestMinute, sum.inMinute);
  if (call.error !== undefined) sum.errors.set(call.error.type, (sum.errors.get(call.error.type) ?? 0) + 1);
  if (call.version === undefined) return;
  const version = sum.versions.get(call.version) ?? createSum();
  sum.versions.set(call.version, version);
  add(version, call);
}

function add(sum: Sum, call: ReportedCall): void {
  const { outcome, durationMs } = call;
  const waited = call.waitedForPersonMs ?? call.approval?.waitedMs ?? 0;
  sum.calls++;
  sum.waited += waited;
  addResult(sum, call);
  if (outcome === "failure" || outcome === "interrupted") sum.failures++;
  if (outcome === "denied") sum.denied++;
  // Neither a refusal nor a call that was cut off says how long the tool takes.
  if (outcome === "denied" || outcome === "interrupted") return;
  const ms = Math.max(0, durationMs - waited);
  sum.durations.record(ms);
  sum.total += ms;
  sum.max = Math.max(sum.max, ms);
}

function addResult(sum: Sum, { result, resultDigest }: ReportedCall): void {
  if (result === undefined && resultDigest === undefined) return;
  sum.results++;
  sum.resultBytes += resultDigest?.bytes ?? Buffer.byteLength(JSON.stringify(result));
}

function toLogged(tool: string, sum: ToolSum): LoggedTool {
  return {
    tool,
    ...toReport(sum),
    lastCall: sum.lastCall,
    busiestMinute: sum.busiestMinute,
    errors: Object.fromEntries(sum.errors),
    versions: [...sum.versions].map(([version, of]) => ({ version, ...toReport(of) })),
  };
}

function toReport({ calls, failures, denied, total, max, durations, ...sum }: Sum): CallReport {
  const [p50 = 0, p95 = 0, p99 = 0] = durations
    .percentiles([0.5, 0.95, 0.99])
    .map((value) => Math.min(value, max));
  const avg = durations.count === 0 ? 0 : total / durations.count;
  const resultTokens = sum.results === 0 ? 0 : tokensInBytes(sum.resultBytes / sum.results);
  return { calls, failures, denied, avg, p50, p95, p99, max, waitedForPeople: sum.waited, resultTokens };
}

/** Whether one version fails more often than another beyond what chance explains (two proportions, 95 %). */
export function failsMore(one: CallReport, other: CallReport): boolean {
  const ran = (report: CallReport): number => report.calls - report.denied;
  const [n, m] = [ran(one), ran(other)];
  if (n < 10 || m < 10) return false;
  const pooled = (one.failures + other.failures) / (n + m);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m));
  return deviation > 0 && (one.failures / n - other.failures / m) / deviation > 1.96;
}
