import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { MetricsSeries } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { usePreferences } from "../../preferences.js";
import { toTime } from "../../text/format.js";

type Column = readonly (number | null)[];

interface Line {
  readonly name: string;
  /** A color of the theme. */
  readonly color: string;
  readonly values: Column;
  readonly bars?: boolean;
}

/** Calls, times and concurrency over time. */
export default function Charts({ series }: { readonly series: MetricsSeries }) {
  const t = useText();
  return (
    <div className="grid gap-4 xl:grid-cols-3">
      <Chart
        title={t("metrics.callsChart")}
        time={series.time}
        lines={[
          { name: t("metrics.calls"), color: "--info", values: series.calls },
          { name: t("metrics.failed"), color: "--bad", values: series.failures },
        ]}
      />
      <Chart
        title={t("metrics.timesChart")}
        time={series.time}
        lines={[
          { name: "p50", color: "--ok", values: series.p50Ms },
          { name: "p95", color: "--warn", values: series.p95Ms },
          { name: "p99", color: "--bad", values: series.p99Ms },
        ]}
      />
      <Chart
        title={t("metrics.runningChart")}
        time={series.time}
        lines={[{ name: t("stage.running"), color: "--accent", values: series.running }]}
      />
    </div>
  );
}

function Chart({
  title,
  time,
  lines,
}: {
  readonly title: string;
  readonly time: readonly number[];
  readonly lines: readonly Line[];
}) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const { theme } = usePreferences();
  const data = [time.map((ms) => ms / 1000), ...lines.map((line) => [...line.values])] as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  const names = lines.map((line) => line.name).join();
  useEffect(() => {
    const host = box.current;
    if (host === null) return undefined;
    const made = new uPlot(optionsOf(lines, host.clientWidth), latest.current, host);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: host.clientWidth, height: 170 }));
    observer.observe(host);
    return () => {
      observer.disconnect();
      made.destroy();
    };
    // Colors are read from the theme when the plot is made.
  }, [theme, names]);
  useEffect(() => plot.current?.setData(latest.current), [series(data)]);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-xs text-muted">{title}</figcaption>
      <div
        ref={box}
        role="img"
        aria-label={`${title}: ${summaryOf(lines)}`}
        className="h-[200px] overflow-hidden"
      />
    </figure>
  );
}

/** A mark that changes when the data does. */
function series(data: uPlot.AlignedData): string {
  return `${data[0].length} ${data[0].at(-1) ?? 0} ${data
    .slice(1)
    .map((column) => column.at(-1) ?? 0)
    .join()}`;
}

/** From the first point to the last, a minute at least: a plot shows one point alone in the middle of years. */
function spanOf(times: ArrayLike<number>): [number, number] {
  const end = times[times.length - 1] ?? Date.now() / 1000;
  return [Math.min(times[0] ?? end, end - 60), end];
}

function summaryOf(lines: readonly Line[]): string {
  return lines
    .map((line) => `${line.name} ${line.values.findLast((value) => value !== null) ?? "–"}`)
    .join(", ");
}

function optionsOf(lines: readonly Line[], width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--muted"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line") },
  };
  return {
    width: Math.max(200, width),
    height: 170,
    cursor: { y: false },
    scales: {
      x: { range: (plot) => spanOf(plot.data[0]) },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      { ...axis, values: (_plot, splits) => splits.map((second) => toTime(second * 1000)), space: 80 },
      { ...axis, size: 44 },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        label: line.name,
        stroke: color(line.color),
        width: 1.5,
        points: { size: 4 },
        spanGaps: false,
      })),
    ],
  };
}
