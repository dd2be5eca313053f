import type { ExperimentRow, MetricsView } from "../../api/types.js";
import { useText } from "../../i18n/use-text.js";
import { toDuration, toTime } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge } from "../../ui/badge.js";
import { Panel } from "../../ui/panel.js";

/** What a person should look at. */
export function AlertList({ alerts }: { readonly alerts: MetricsView["alerts"] }) {
  const t = useText();
  return (
    <Panel title={t("metrics.alerts")}>
      <ul className="flex flex-col gap-1 text-xs">
        {alerts.map((alert) => (
          <li key={`${alert.time}${alert.kind}${alert.message}`}>
            <Badge tone="bad">{alert.kind}</Badge>{" "}
            <span className="text-muted tabular-nums">{toTime(alert.time)}</span>{" "}
            <PlainText text={alert.message} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What the optimiser would change. */
export function AdviceList({ advice }: { readonly advice: MetricsView["advice"] }) {
  const t = useText();
  if (advice.length === 0) return <p className="text-muted">{t("metrics.noAdvice")}</p>;
  return (
    <ul className="flex flex-col gap-1 text-xs">
      {advice.map((item) => (
        <li key={`${item.toolName}${item.kind}${item.message}`}>
          <Badge tone="info">{item.kind}</Badge> <span className="font-medium">{item.toolName}</span>{" "}
          <PlainText text={item.message} />
        </li>
      ))}
    </ul>
  );
}

/** Versions that share the calls of a tool, side by side. */
export function Experiments({ rows }: { readonly rows: readonly ExperimentRow[] }) {
  const t = useText();
  const heads = [
    t("log.tool"),
    t("tools.versions"),
    t("metrics.weight"),
    t("metrics.calls"),
    t("metrics.failures"),
    "p50",
    "p95",
  ];
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={t("metrics.experiments")}>
      <table className="w-full text-xs">
        <thead>
          <tr className="text-left text-muted">
            {heads.map((head) => (
              <th key={head} className="pr-3 pb-1 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) =>
            row.arms.map((arm) => (
              <tr key={`${row.tool}@${arm.version}`} className="border-t border-line tabular-nums">
                <td className="py-1 pr-3 font-medium">{row.tool}</td>
                <td className="py-1 pr-3">{arm.version}</td>
                <td className="py-1 pr-3">{arm.weight}</td>
                <td className="py-1 pr-3">{arm.calls}</td>
                <td className="py-1 pr-3">{arm.failures}</td>
                <td className="py-1 pr-3">{toDuration(arm.p50Ms)}</td>
                <td className="py-1">{toDuration(arm.p95Ms)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}
