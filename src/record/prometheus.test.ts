import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Metrics } from "./metrics.js";
import { renderPrometheus } from "./prometheus.js";
import { anyCharacter } from "../../test/setup/any-character.js";

const scheduler = {
  running: 2,
  waiting: 1,
  peakRunning: 3,
  peakWaiting: 4,
  nestedRunning: 1,
  nestedWaiting: 0,
  maxConcurrent: 10,
};

const metricsOf = (
  calls: readonly (readonly [tool: string, ms: number, error?: string | undefined])[],
): Metrics => {
  const metrics = new Metrics({ monotonic: () => 0 });
  for (const [tool, ms, error] of calls) {
    const meter = metrics.meter(tool, "1.0.0");
    meter.began(0);
    meter.ended(ms, error);
  }
  return metrics;
};

/** A reader of the text format as strict as Prometheus' own: throws at the first wrong line. */
function read(text: string): Map<string, number> {
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  const closed = new Set<string>();
  let family = "";
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line must end");
  for (const line of text.split("\n").slice(0, -1)) {
    const comment = /^# (HELP|TYPE) ([a-z_:][a-z0-9_:]*) (.+)$/.exec(line);
    if (comment !== null) {
      const [, kind, name = "", rest = ""] = comment;
      if (name !== family) {
        if (closed.has(name)) throw new Error(`${name} is told twice`);
        closed.add(name);
        family = name;
      }
      if (kind === "TYPE") types.set(name, rest);
      continue;
    }
    const label = String.raw`[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"`;
    const sample = new RegExp(
      `^([a-z_]+)(?:\\{(${label}(?:,${label})*)\\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|NaN|[+-]Inf)$`,
    ).exec(line);
    if (sample === null) throw new Error(`not a sample: ${JSON.stringify(line)}`);
    const [, name = "", labels = "", value = ""] = sample;
    const type = types.get(family);
    const base = type === "summary" ? name.replace(/_(sum|count)$/, "") : name;
    if (base !== family) throw new Error(`${name} stands under ${family}`);
    if (type === "counter" && !name.endsWith("_total"))
      throw new Error(`${name} is a counter without _total`);
    const key = `${name}{${labels}}`;
    if (values.has(key)) throw new Error(`${key} is told twice`);
    values.set(key, Number(value));
  }
  return values;
}

describe("renderPrometheus", () => {
  it("tells calls, errors and durations in seconds", () => {
    const metrics = metricsOf([
      ["read_file", 500],
      ["read_file", 1500, "ToolTimeoutError"],
    ]);
    const text = renderPrometheus(metrics.snapshot(), { scheduler, version: "1.2.3" });
    expect(text).toContain("# TYPE tenon_tool_calls_total counter\n");
    expect(text).toContain("# TYPE tenon_tool_duration_seconds summary\n");
    const values = read(text);
    expect(Object.fromEntries(values)).toMatchObject({
      'tenon_tool_calls_total{tool="read_file",outcome="success"}': 1,
      'tenon_tool_calls_total{tool="read_file",outcome="failure"}': 1,
      'tenon_tool_errors_total{tool="read_file",type="ToolTimeoutError"}': 1,
      'tenon_tool_duration_seconds_sum{tool="read_file"}': 2,
      'tenon_tool_duration_seconds_count{tool="read_file"}': 2,
      'tenon_tool_duration_max_seconds{tool="read_file"}': 1.5,
      'tenon_scheduler_running{nested="false"}': 2,
      "tenon_scheduler_slots{}": 10,
      'tenon_build_info{version="1.2.3"}': 1,
    });
    expect(values.get('tenon_tool_duration_seconds{tool="read_file",quantile="0.5"}')).toBeCloseTo(0.5, 2);
  });

  it("can be read whatever tools and errors are called", () => {
    const call = fc.tuple(
      fc.string({ unit: anyCharacter }),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.option(fc.string({ unit: anyCharacter }), { nil: undefined }),
    );
    fc.assert(
      fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
        const values = read(renderPrometheus(metricsOf(calls).snapshot(), { maxTools: 5, maxErrorTypes: 2 }));
        const counted = [...values].filter(([key]) => key.startsWith("tenon_tool_calls_total"));
        expect(counted.reduce((sum, [, value]) => sum + value, 0)).toBe(calls.length);
        expect(counted.length).toBeLessThanOrEqual(12);
      }),
    );
  });

  it("tells the least called of very many tools together, and nothing gets lost", () => {
    const calls = Array.from({ length: 2000 }, (_, at) => [`tool_${at}`, 1, `Error${at % 50}`] as const);
    const metrics = metricsOf([...calls, ["tool_1999", 1], ["tool_1999", 1]]);
    const values = read(renderPrometheus(metrics.snapshot()));
    expect(values.size).toBeLessThan(500 * 15);
    expect(values.get('tenon_tool_calls_total{tool="tool_1999",outcome="success"}')).toBe(2);
    expect(values.get('tenon_tool_calls_total{tool="_other",outcome="failure"}')).toBe(1500);
  });

  it("tells the processes of calls only where there were some", () => {
    const metrics = metricsOf([["current_time", 1]]);
    expect(renderPrometheus(metrics.snapshot())).not.toContain("tenon_tool_process");
    metrics.meter("shell_exec", "1.0.0").resources({ cpuMs: 2500, memoryBytes: 4096, ioBytes: 10 });
    const values = read(renderPrometheus(metrics.snapshot()));
    expect(values.get('tenon_tool_process_cpu_seconds_total{tool="shell_exec"}')).toBe(2.5);
    expect(values.get('tenon_tool_process_memory_peak_bytes{tool="shell_exec"}')).toBe(4096);
  });
});
