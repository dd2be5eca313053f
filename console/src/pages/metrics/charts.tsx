import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { MetricsSeries } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { usePreferences } from "../../preferences.js";
import { useDuration } from "../../text/format.js";
import { metricsText } from "./text.js";

type Column = readonly (number | null)[];

interface Line {
  readonly name: string;
  /** A color of the theme. */
  readonly color: string;
  readonly values: Column;
}

/** Calls, times and concurrency over time. */
export default function Charts({ series }: { readonly series: MetricsSeries }) {
  const own = usePageText(metricsText);
  const toDuration = useDuration();
  const succeeded = series.calls.map(
    (calls, at) => calls - (series.failures[at] ?? 0) - (series.denied[at] ?? 0),
  );
  const toCount = (value: number) => value.toLocaleString();
  return (
    <div className="grid gap-4 xl:grid-cols-3">
      <Chart
        title={own("callsChart", { width: toDuration(series.widthMs) })}
        time={series.time}
        toLabel={toCount}
        lines={[
          { name: own("succeeded"), color: "--info", values: succeeded },
          { name: own("failedSeries"), color: "--bad", values: series.failures },
          { name: own("deniedSeries"), color: "--warn", values: series.denied },
        ]}
      />
      <Chart
        title={own("timesChart")}
        time={series.time}
        toLabel={toDuration}
        lines={[
          { name: "p50", color: "--ok", values: series.p50Ms },
          { name: "p95", color: "--warn", values: series.p95Ms },
          { name: "p99", color: "--bad", values: series.p99Ms },
        ]}
      />
      <Chart
        title={own("runningChart")}
        time={series.time}
        toLabel={toShortNumber}
        lines={[
          { name: own("runningSeries"), color: "--accent", values: series.running },
          { name: own("waitingSeries"), color: "--warn", values: series.waitingForPeople },
        ]}
      />
    </div>
  );
}

function toShortNumber(value: number): string {
  return value.toLocaleString(undefined, { maximumSignificantDigits: 3 });
}

function Chart({
  title,
  time,
  toLabel,
  lines,
}: {
  readonly title: string;
  readonly toLabel: (value: number) => string;
  readonly time: readonly number[];
  readonly lines: readonly Line[];
}) {
  const own = usePageText(metricsText);
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
    const made = new uPlot(
      optionsOf(lines, { toLabel, timeName: own("time"), width: host.clientWidth }),
      latest.current,
      host,
    );
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
        aria-label={`${title}: ${summaryOf(lines, toLabel)}`}
        className="min-h-[200px] overflow-hidden"
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

function summaryOf(lines: readonly Line[], toLabel: (value: number) => string): string {
  return lines
    .map(({ name, values }) => {
      const last = values.findLast((value) => value !== null);
      return `${name} ${last === undefined || last === null ? "–" : toLabel(last)}`;
    })
    .join(", ");
}

const axisFont = "11px system-ui, sans-serif";

/** As wide as its longest label, so that none is cut. */
function axisWidth(plot: uPlot, labels: readonly string[] | null): number {
  plot.ctx.save();
  plot.ctx.font = axisFont;
  const widest = Math.max(20, ...(labels ?? []).map((label) => plot.ctx.measureText(label).width));
  plot.ctx.restore();
  return Math.ceil(widest) + 14;
}

const withSeconds = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
const withMinutes = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const withDate = { month: "numeric", day: "numeric" } as const;

/** Labels say what differs between them: seconds, minutes or days. */
function toTimes(splits: readonly number[], stepSeconds: number): string[] {
  const parts = stepSeconds < 60 ? withSeconds : stepSeconds < 86_400 ? withMinutes : withDate;
  const format = new Intl.DateTimeFormat(undefined, parts);
  return splits.map((second) => format.format(second * 1000));
}

/** The points without a neighbor: no line shows them. */
function lonePoints(plot: uPlot, line: number): number[] {
  const values = plot.data[line] ?? [];
  const isGap = (at: number) => values[at] === null || values[at] === undefined;
  return Array.from(values, (_, at) => at).filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1));
}

interface PlotLook {
  readonly toLabel: (value: number) => string;
  /** The name of the time in the legend. */
  readonly timeName: string;
  readonly width: number;
}

function optionsOf(lines: readonly Line[], { toLabel, timeName, width }: PlotLook): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--muted"),
    font: axisFont,
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line") },
  };
  return {
    width: Math.max(200, width),
    height: 170,
    cursor: { y: false },
    scales: {
      x: { range: (plot) => spanOf(plot.data[0]) },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      { ...axis, values: (_plot, splits, _axis, _space, step) => toTimes(splits, step), space: 80 },
      { ...axis, values: (_plot, splits) => splits.map(toLabel), size: axisWidth },
    ],
    series: [
      {
        label: timeName,
        value: (_plot, second) => (second === null ? "–" : (toTimes([second], 1)[0] ?? "–")),
      },
      ...lines.map((line) => ({
        label: line.name,
        value: (_plot: uPlot, value: number | null) => (value === null ? "–" : toLabel(value)),
        stroke: color(line.color),
        width: 1.5,
        points: { show: true, size: 5, filter: lonePoints },
        spanGaps: false,
      })),
    ],
  };
}
