import type { MetricsSnapshot } from "./metrics.js";
import { mergeSmallest, type LabelledMetrics } from "./prometheus-rows.js";
import { exposition, type Family, type Sample } from "./prometheus-text.js";
import { checkKeys, type KeysOf } from "../schema/check-keys.js";

/** What the scheduler says of itself; the shape of `tenon.stats()`. */
export interface SchedulerNumbers {
  readonly running: number;
  readonly waiting: number;
  readonly peakRunning: number;
  readonly peakWaiting: number;
  readonly nestedRunning: number;
  readonly nestedWaiting: number;
  readonly maxConcurrent: number;
}

/** What is counted for each client program. */
export interface ClientNumbers {
  readonly client: string;
  readonly agent: string;
  readonly calls: number;
  readonly failures: number;
  readonly approvals: number;
}

/** What is rendered besides the metrics of tools. */
export interface PrometheusOptions {
  /** Of `tenon.stats()`. @default no scheduler metrics */
  readonly scheduler?: SchedulerNumbers | undefined;
  /** Written into `tenon_build_info`. @default none */
  readonly version?: string | undefined;
  /** Calls by MCP client, their number bounded. @default none */
  readonly clients?: readonly ClientNumbers[] | undefined;
  /** Tools beyond this many, the least called ones, are told together as `tool="_other"`. @default 500 */
  readonly maxTools?: number | undefined;
  /** Types of errors of one tool beyond this many are told together as `type="other"`. @default 16 */
  readonly maxErrorTypes?: number | undefined;
}

const optionNames: KeysOf<PrometheusOptions> = {
  scheduler: true,
  version: true,
  clients: true,
  maxTools: true,
  maxErrorTypes: true,
};

/** The content type that the text must be served with. */
export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

/**
 * All metrics in Prometheus' text format; times in seconds, the number of series bounded.
 *
 * @example
 * response.end(renderPrometheus(tenon.metrics.snapshot(), { scheduler: tenon.stats() }));
 */
export function renderPrometheus(metrics: MetricsSnapshot, options: PrometheusOptions = {}): string {
  checkKeys(options, optionNames, "renderPrometheus");
  const tools = mergeSmallest(metrics.tools, {
    maxTools: options.maxTools ?? 500,
    maxErrorTypes: options.maxErrorTypes ?? 16,
  });
  return exposition([
    ...buildFamilies(options.version),
    ...callFamilies(tools),
    ...loadFamilies(tools),
    ...processFamilies(tools),
    ...hostFamilies(metrics),
    ...schedulerFamilies(options.scheduler),
    ...clientFamilies(options.clients ?? []),
  ]);
}

function buildFamilies(version: string | undefined): Family[] {
  if (version === undefined) return [];
  return [gauge("tenon_build_info", "The version that runs; always 1.", [{ labels: { version }, value: 1 }])];
}

function clientFamilies(clients: readonly ClientNumbers[]): Family[] {
  if (clients.length === 0) return [];
  const samples = (count: (one: ClientNumbers) => number): Sample[] =>
    clients.map((one) => ({ labels: { client: one.client, agent: one.agent }, value: count(one) }));
  return [
    counter(
      "tenon_client_calls_total",
      "Calls of MCP clients that ended.",
      samples(({ calls }) => calls),
    ),
    counter(
      "tenon_client_failures_total",
      "Calls of MCP clients that failed or were refused.",
      samples(({ failures }) => failures),
    ),
    counter(
      "tenon_client_approvals_total",
      "Requests for consent that calls of MCP clients made.",
      samples(({ approvals }) => approvals),
    ),
  ];
}

function callFamilies(tools: readonly LabelledMetrics[]): Family[] {
  return [
    counter(
      "tenon_tool_calls_total",
      "Calls that ended, refusals included.",
      tools.flatMap(({ tool, successes, failures }) => [
        { labels: { tool, outcome: "success" }, value: successes },
        { labels: { tool, outcome: "failure" }, value: failures },
      ]),
    ),
    counter(
      "tenon_tool_errors_total",
      "Failed calls by the type of their error.",
      tools.flatMap(({ tool, errors }) => errors.map(([type, value]) => ({ labels: { tool, type }, value }))),
    ),
    {
      name: "tenon_tool_duration_seconds",
      help: "How long calls ran, without waiting.",
      type: "summary",
      samples: tools.flatMap(durationSamples),
    },
    gauge(
      "tenon_tool_duration_max_seconds",
      "The longest run.",
      tools.map(({ tool, maxMs }) => ({ labels: { tool }, value: maxMs / 1000 })),
    ),
  ];
}

function durationSamples({ tool, quantiles, totalMs, count }: LabelledMetrics): Sample[] {
  return [
    ...quantiles.map(([quantile, ms]) => ({ labels: { tool, quantile }, value: ms / 1000 })),
    { suffix: "_sum", labels: { tool }, value: totalMs / 1000 },
    { suffix: "_count", labels: { tool }, value: count },
  ];
}

function loadFamilies(tools: readonly LabelledMetrics[]): Family[] {
  const each = (pick: (row: LabelledMetrics) => number): Sample[] =>
    tools.map((row) => ({ labels: { tool: row.tool }, value: pick(row) }));
  return [
    counter(
      "tenon_tool_waits_total",
      "Calls that had to wait before they ran.",
      each((row) => row.waits),
    ),
    counter(
      "tenon_tool_wait_seconds_total",
      "Time that calls waited before they ran.",
      each((row) => row.waitedMs / 1000),
    ),
    gauge(
      "tenon_tool_running",
      "Calls that run now.",
      each((row) => row.running),
    ),
    gauge(
      "tenon_tool_running_peak",
      "The most calls that ran at once.",
      each((row) => row.peak),
    ),
  ];
}

/** Only of tools that start processes; others have no such series at all. */
function processFamilies(tools: readonly LabelledMetrics[]): Family[] {
  const each = (pick: (use: NonNullable<LabelledMetrics["resources"]>) => number): Sample[] =>
    tools.flatMap(({ tool, resources }) =>
      resources === undefined ? [] : [{ labels: { tool }, value: pick(resources) }],
    );
  return [
    counter(
      "tenon_tool_process_cpu_seconds_total",
      "Processor time of the processes that calls started.",
      each((use) => use.cpuMs / 1000),
    ),
    counter(
      "tenon_tool_process_io_bytes_total",
      "Bytes that the processes of calls read and wrote.",
      each((use) => use.ioBytes),
    ),
    gauge(
      "tenon_tool_process_memory_peak_bytes",
      "The most memory that the process of one call took.",
      each((use) => use.memoryPeakBytes),
    ),
  ];
}

function hostFamilies({ host, overall }: MetricsSnapshot): Family[] {
  const running = gauge("tenon_running", "Calls of all tools that run now.", [
    { labels: {}, value: overall.concurrency.now },
  ]);
  if (host === undefined) return [running];
  return [
    running,
    counter("process_cpu_seconds_total", "Processor time of Tenon's own process.", [
      { labels: {}, value: host.cpuMs / 1000 },
    ]),
    gauge("process_resident_memory_bytes", "Memory of Tenon's own process.", [
      { labels: {}, value: host.memoryBytes },
    ]),
  ];
}

function schedulerFamilies(stats: SchedulerNumbers | undefined): Family[] {
  if (stats === undefined) return [];
  const both = (own: number, nested: number): Sample[] => [
    { labels: { nested: "false" }, value: own },
    { labels: { nested: "true" }, value: nested },
  ];
  const one = (value: number): Sample[] => [{ labels: {}, value }];
  return [
    gauge(
      "tenon_scheduler_running",
      "Calls that hold a slot, and calls that they made.",
      both(stats.running, stats.nestedRunning),
    ),
    gauge(
      "tenon_scheduler_waiting",
      "Calls that wait for a slot or for earlier calls.",
      both(stats.waiting, stats.nestedWaiting),
    ),
    gauge("tenon_scheduler_running_peak", "The most calls that held a slot at once.", one(stats.peakRunning)),
    gauge("tenon_scheduler_waiting_peak", "The most calls that waited at once.", one(stats.peakWaiting)),
    gauge("tenon_scheduler_slots", "Calls that may run at once.", one(stats.maxConcurrent)),
  ];
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: "counter", samples };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: "gauge", samples };
}
