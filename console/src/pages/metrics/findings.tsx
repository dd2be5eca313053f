import type { ExperimentRow, MetricsView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useText } from "../../i18n/use-text.js";
import { hrefOf } from "../../route.js";
import { useDuration } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { ClockView } from "../../text/time-view.js";
import { WordBadge } from "../../ui/badge.js";
import { DataTable } from "../../ui/data-table.js";
import { Panel } from "../../ui/panel.js";
import { metricsText } from "./text.js";

/** What a person should look at. */
export function AlertList({ alerts }: { readonly alerts: MetricsView["alerts"] }) {
  const own = usePageText(metricsText);
  return (
    <Panel title={own("alerts")}>
      <ul className="flex flex-col gap-1 text-xs">
        {alerts.map((alert) => (
          <li key={`${alert.time}${alert.kind}${alert.message}`}>
            <WordBadge tone="bad" word={alert.kind} />{" "}
            <span className="text-muted">
              <ClockView time={alert.time} />
            </span>{" "}
            <PlainText text={alert.message} />{" "}
            {alert.sessionId !== undefined && (
              <a className="text-accent underline" href={callsOf(alert)}>
                {own("alertCalls")}
              </a>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** An alert counts calls of a minute at most. */
const alertMs = 60_000;

function callsOf({ kind, sessionId = "", time }: MetricsView["alerts"][number]): string {
  const at = (ms: number) => new Date(ms).toISOString();
  const range = `since:${at(time - alertMs)} until:${at(time)}`;
  return hrefOf("log", undefined, {
    q: `${kind === "burst" ? "" : "outcome:denied "}session:"${sessionId}" ${range}`,
  });
}

/** What the optimiser would change. */
export function AdviceList({ advice }: { readonly advice: MetricsView["advice"] }) {
  const own = usePageText(metricsText);
  if (advice.length === 0) return <p className="text-muted">{own("noAdvice")}</p>;
  return (
    <ul className="flex flex-col gap-1 text-xs">
      {advice.map((item) => (
        <li key={`${item.toolName}${item.kind}${item.message}`}>
          <WordBadge tone="info" word={item.kind} /> <span className="font-medium">{item.toolName}</span>{" "}
          <PlainText text={item.message} />
        </li>
      ))}
    </ul>
  );
}

/** Versions that share the calls of a tool, side by side. */
export function Experiments({ rows }: { readonly rows: readonly ExperimentRow[] }) {
  const t = useText();
  const own = usePageText(metricsText);
  const toDuration = useDuration();
  return (
    <DataTable
      label={own("experiments")}
      heads={[t("log.tool"), t("tools.versions"), own("weight"), own("calls"), own("failures"), "p50", "p95"]}
      rows={rows.flatMap(({ tool, arms }) =>
        arms.map((arm) => ({
          key: `${tool}@${arm.version}`,
          cells: [
            <PlainText key="tool" text={tool} line />,
            arm.version,
            arm.weight,
            arm.calls,
            arm.failures,
            toDuration(arm.p50Ms),
            toDuration(arm.p95Ms),
          ],
        })),
      )}
    />
  );
}
