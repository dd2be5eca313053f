import { lazy, Suspense, useState } from "react";
import type { MetricsSeries, MetricsView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useText } from "../../i18n/use-text.js";
import { toBytes, toDuration } from "../../text/format.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { AdviceList, AlertList, Experiments } from "./findings.js";
import { ToolTable } from "./tool-table.js";

const Charts = lazy(() => import("./charts.js"));

/** How much, how fast, how well: now, over time and per tool. */
export default function MetricsPage() {
  const t = useText();
  const [minutes, setMinutes] = useState(60);
  const view = useApi<MetricsView>("/api/metrics", { everyMs: 5000 });
  const series = useApi<MetricsSeries>(`/api/metrics/series?minutes=${minutes}`, { everyMs: 10_000 });
  if (view.data === undefined)
    return view.error === null ? (
      <p className="text-muted">{t("loading")}</p>
    ) : (
      <FaultNote fault={view.error} />
    );
  const { tools, experiments, advice, alerts } = view.data;
  return (
    <div className="flex flex-col gap-3">
      <Tiles view={view.data} series={series.data} />
      {alerts.length > 0 && <AlertList alerts={alerts} />}
      <Panel
        title={t("metrics.overTime")}
        actions={
          <select
            className="field"
            aria-label={t("metrics.span")}
            value={minutes}
            onChange={(event) => setMinutes(Number(event.target.value))}
          >
            {[15, 60, 360, 1440].map((span) => (
              <option key={span} value={span}>
                {t("metrics.minutes", { n: span })}
              </option>
            ))}
          </select>
        }
      >
        <FaultNote fault={series.error} />
        <Suspense fallback={<p className="text-muted">{t("loading")}</p>}>
          {series.data !== undefined && <Charts series={series.data} />}
        </Suspense>
      </Panel>
      <Panel title={t("metrics.perTool")}>
        {tools.length === 0 ? <Empty>{t("metrics.none")}</Empty> : <ToolTable rows={tools} />}
      </Panel>
      <div className="grid gap-3 lg:grid-cols-2">
        <ErrorTypes view={view.data} />
        <Panel title={t("metrics.advice")}>
          <AdviceList advice={advice} />
        </Panel>
      </div>
      {experiments.length > 0 && (
        <Panel title={t("metrics.experiments")}>
          <Experiments rows={experiments} />
        </Panel>
      )}
    </div>
  );
}

function Tiles({ view, series }: { readonly view: MetricsView; readonly series: MetricsSeries | undefined }) {
  const t = useText();
  const calls = view.tools.reduce((sum, row) => sum + row.calls, 0);
  const failures = view.tools.reduce((sum, row) => sum + row.failures, 0);
  const latest = (values: readonly (number | null)[] | undefined) =>
    toDuration(values?.findLast((value) => value !== null));
  const tiles = [
    [t("metrics.calls"), calls.toLocaleString()],
    [t("metrics.failures"), calls === 0 ? "–" : `${((failures / calls) * 100).toFixed(1)} %`],
    ["p50 · p95 · p99", `${latest(series?.p50Ms)} · ${latest(series?.p95Ms)} · ${latest(series?.p99Ms)}`],
    [t("metrics.running"), `${view.concurrency.running} + ${view.concurrency.waiting}`],
    [t("metrics.meanPeak"), `${view.concurrency.mean.toFixed(1)} / ${view.concurrency.peak}`],
    [t("metrics.memory"), toBytes(view.host.memoryBytes)],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-2 sm:grid-cols-3 xl:grid-cols-6">
      {tiles.map(([name, value]) => (
        <div key={name} className="rounded-md border border-line bg-panel px-2.5 py-2">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className="mt-0.5 text-[13px] font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ErrorTypes({ view }: { readonly view: MetricsView }) {
  const t = useText();
  const totals = new Map<string, number>();
  for (const row of view.tools) {
    for (const [type, count] of Object.entries(row.errorsByType))
      totals.set(type, (totals.get(type) ?? 0) + count);
  }
  const rows = [...totals].sort((one, other) => other[1] - one[1]);
  const most = rows[0]?.[1] ?? 1;
  return (
    <Panel title={t("metrics.errors")}>
      {rows.length === 0 && <p className="text-muted">{t("metrics.noErrors")}</p>}
      <ul className="flex flex-col gap-1.5 text-xs">
        {rows.map(([type, count]) => (
          <li key={type}>
            <span className="flex justify-between">
              <span className="font-mono">{type}</span>
              <span className="tabular-nums">{count}</span>
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
