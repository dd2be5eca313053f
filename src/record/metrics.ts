import { type CallMetrics, toCallMetrics, type ToolMetrics, toRecord } from "./tool-metrics.js";
import {
  ConcurrencyLevel,
  emptyReading,
  type MeterReading,
  RecordingMeter,
  type ToolMeter,
} from "./tool-meter.js";

/** What the host process took, where everything ran that had no process of its own. */
export interface HostUse {
  readonly memoryBytes: number;
  readonly cpuMs: number;
}

/** All metrics at one moment. */
export interface MetricsSnapshot {
  /** Every tool that was called, versions merged. */
  readonly tools: readonly ToolMetrics[];
  readonly overall: CallMetrics;
  readonly host?: HostUse;
}

/** The short form of a tool's metrics that `getStats` shows. */
export interface CallStats {
  readonly count: number;
  readonly failures: number;
  /** Milliseconds. */
  readonly avgDuration: number;
}

interface VersionEntry {
  readonly meter: RecordingMeter;
  readonly level: ConcurrencyLevel;
}

interface ToolEntry {
  readonly level: ConcurrencyLevel;
  readonly versions: Map<string, VersionEntry>;
}

/** Counts calls per tool and version. */
export class Metrics {
  readonly #monotonic: () => number;
  readonly #hostUse: (() => HostUse) | undefined;
  readonly #tools = new Map<string, ToolEntry>();
  readonly #level = new ConcurrencyLevel();

  /** @internal */
  constructor(options: { monotonic: () => number; hostUse?: () => HostUse }) {
    this.#monotonic = options.monotonic;
    this.#hostUse = options.hostUse;
  }

  /** @internal The meter of one version of a tool: the same one every time, valid across resets, so callers keep it. */
  meter(toolName: string, version: string): ToolMeter {
    let tool = this.#tools.get(toolName);
    if (tool === undefined) {
      tool = { level: new ConcurrencyLevel(), versions: new Map() };
      this.#tools.set(toolName, tool);
    }
    let entry = tool.versions.get(version);
    if (entry === undefined) {
      const level = new ConcurrencyLevel();
      entry = { level, meter: new RecordingMeter([level, tool.level, this.#level], this.#monotonic) };
      tool.versions.set(version, entry);
    }
    return entry.meter;
  }

  snapshot(): MetricsSnapshot {
    const at = this.#monotonic();
    const all = emptyReading();
    const tools = [...this.#tools].map(([toolName, entry]) => {
      addVersions(entry, all);
      return { toolName, ...toCallMetrics(mergeVersions(entry), entry.level.read(at)) };
    });
    const overall = toCallMetrics(all, this.#level.read(at));
    return { tools, overall, ...(this.#hostUse && { host: this.#hostUse() }) };
  }

  /** One tool, all its versions together. */
  tool(name: string): ToolMetrics | undefined {
    const entry = this.#tools.get(name);
    if (entry === undefined) return undefined;
    return { toolName: name, ...toCallMetrics(mergeVersions(entry), entry.level.read(this.#monotonic())) };
  }

  /** One tool, version by version, to compare them. */
  versions(name: string): ToolMetrics[] {
    const at = this.#monotonic();
    return [...(this.#tools.get(name)?.versions ?? [])].map(([version, { meter, level }]) => {
      const reading = emptyReading();
      meter.addTo(reading);
      return { toolName: name, version, ...toCallMetrics(reading, level.read(at)) };
    });
  }

  /** Calls, failures and mean duration by tool, in an object without prototype. */
  callStats(): Record<string, CallStats> {
    return toRecord([...this.#tools].map(([name, entry]) => [name, toCallStats(mergeVersions(entry))]));
  }

  /** The names of all tools that have a meter. */
  toolNames(): string[] {
    return [...this.#tools.keys()];
  }

  /** @internal A number that rises with everything counted for a tool: a cheap way to see that nothing happened. */
  activity(name: string): number {
    let sum = 0;
    for (const { meter } of this.#tools.get(name)?.versions.values() ?? []) sum += meter.activity;
    return sum;
  }

  /** @internal The bare sums of a tool, versions merged: a copy that two moments can be compared by. */
  reading(name: string): MeterReading {
    const entry = this.#tools.get(name);
    return entry === undefined ? emptyReading() : mergeVersions(entry);
  }

  /** Start again from nothing, for one tool or for all; meters stay valid and what runs keeps running. */
  reset(toolName?: string): void {
    const at = this.#monotonic();
    for (const [name, entry] of this.#tools) {
      if (toolName !== undefined && name !== toolName) continue;
      entry.level.reset(at);
      for (const { meter, level } of entry.versions.values()) {
        meter.reset();
        level.reset(at);
      }
    }
    if (toolName === undefined) this.#level.reset(at);
  }
}

function mergeVersions(entry: ToolEntry): MeterReading {
  const merged = emptyReading();
  addVersions(entry, merged);
  return merged;
}

function addVersions(entry: ToolEntry, target: MeterReading): void {
  for (const { meter } of entry.versions.values()) meter.addTo(target);
}

function toCallStats({ successes, failures, totalMs, durations }: MeterReading): CallStats {
  const ran = durations.count;
  return { count: successes + failures, failures, avgDuration: ran > 0 ? totalMs / ran : 0 };
}
