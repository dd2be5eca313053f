import { lazy, Suspense } from "react";
import { choice, useAddress } from "../../address.js";
import type { MetricsSeries, MetricsView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { serverClock } from "../../api/server-clock.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { toBytes, useDuration } from "../../text/format.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { AdviceList, AlertList, Experiments } from "./findings.js";
import { metricsText } from "./text.js";
import { ToolTable } from "./tool-table.js";

const spans = ["15", "60", "360", "1440", "10080"] as const;
const params = { minutes: choice(spans, "60") };

const Charts = lazy(() => import("./charts.js"));

/** How much, how fast, how well: in a range of time, over it and per tool. */
export default function MetricsPage() {
  const t = useText();
  const own = usePageText(metricsText);
  const { values, set } = useAddress("metrics", params);
  const { minutes } = values;
  const view = useApi<MetricsView>(`/api/metrics?minutes=${minutes}`, { everyMs: 5000 });
  const series = useApi<MetricsSeries>(`/api/metrics/series?minutes=${minutes}`, { everyMs: 10_000 });
  if (view.data === undefined)
    return view.error === null ? (
      <p className="text-muted">{t("loading")}</p>
    ) : (
      <FaultNote fault={view.error} />
    );
  const { tools, experiments, advice, alerts, since } = view.data;
  const isOlder = since < serverClock.now() - (Number(minutes) + 1) * 60_000;
  return (
    <div className="flex flex-col gap-3">
      <label className="flex flex-wrap items-center gap-2 text-xs text-muted">
        {own("range")}
        <select
          className="field text-ink"
          aria-label={own("span")}
          value={minutes}
          onChange={(event) => set({ minutes: event.target.value as (typeof spans)[number] })}
        >
          {spans.map((span) => (
            <option key={span} value={span}>
              {own(`span.${span}`)}
            </option>
          ))}
        </select>
        {isOlder && <span className="text-warn">{own("logOff")}</span>}
      </label>
      <Tiles view={view.data} />
      {alerts.length > 0 && <AlertList alerts={alerts} />}
      <Panel title={own("overTime")}>
        <FaultNote fault={series.error} />
        <Suspense fallback={<p className="text-muted">{t("loading")}</p>}>
          {series.data !== undefined && <Charts series={series.data} />}
        </Suspense>
      </Panel>
      <Panel title={own("perTool")}>
        {tools.length === 0 ? <Empty>{own("none")}</Empty> : <ToolTable rows={tools} />}
      </Panel>
      <div className="grid gap-3 lg:grid-cols-2">
        <ErrorCodes errors={view.data.total.errors} />
        <Panel title={own("advice")}>
          <AdviceList advice={advice} />
        </Panel>
      </div>
      {experiments.length > 0 && (
        <Panel title={own("experiments")}>
          <Experiments rows={experiments} />
        </Panel>
      )}
    </div>
  );
}

function Tiles({ view }: { readonly view: MetricsView }) {
  const own = usePageText(metricsText);
  const toDuration = useDuration();
  const { calls, failures, denied, p50Ms, p95Ms, p99Ms, people } = view.total;
  const share = (count: number) => (calls === 0 ? "–" : `${((count / calls) * 100).toFixed(1)} %`);
  const tiles = [
    [own("calls"), calls.toLocaleString()],
    [own("failures"), share(failures)],
    [own("denied"), share(denied)],
    [
      own("percentiles"),
      calls === 0
        ? "–"
        : [p50Ms, p95Ms, p99Ms].map((value) => toDuration(value).replaceAll(" ", "\u00a0")).join(" · "),
    ],
    [
      own("people"),
      people.calls === 0 ? "–" : own("peopleCalls", { time: toDuration(people.totalMs), n: people.calls }),
    ],
    [own("running"), `${view.concurrency.running} + ${view.concurrency.waiting}`],
    [own("meanPeak"), `${view.concurrency.mean.toFixed(1)} / ${view.concurrency.peak}`],
    [own("memory"), toBytes(view.host.memoryBytes)],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-2 sm:grid-cols-4">
      {tiles.map(([name, value]) => (
        <div key={name} className="rounded-md border border-line bg-panel px-2.5 py-2">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="mt-0.5 text-[13px] font-semibold break-keep tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const maxErrors = 20;

function ErrorCodes({ errors }: { readonly errors: Readonly<Record<string, number>> }) {
  const own = usePageText(metricsText);
  const rows = Object.entries(errors).slice(0, maxErrors);
  const most = rows[0]?.[1] ?? 1;
  return (
    <Panel title={own("errors")}>
      {rows.length === 0 && <p className="text-muted">{own("noErrors")}</p>}
      <ul className="flex flex-col gap-1.5 text-xs">
        {rows.map(([code, count]) => (
          <li key={code}>
            <span className="flex justify-between">
              <span className="font-mono">{code}</span>
              <span className="tabular-nums">{count.toLocaleString()}</span>
            </span>
            <span className="block h-1.5 rounded bg-sunk" aria-hidden="true">
              <span className="block h-full rounded bg-bad" style={{ width: `${(count / most) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
