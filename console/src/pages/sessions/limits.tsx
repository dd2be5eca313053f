import type { LimitView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { usePageText } from "../../i18n/page-text.js";
import { TimeView } from "../../text/time-view.js";
import { Badge } from "../../ui/badge.js";
import { DataTable } from "../../ui/data-table.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { sessionsText } from "./text.js";

/** How much of each limit is used, the fullest first. */
export function Limits() {
  const t = usePageText(sessionsText);
  const limits = useApi<readonly LimitView[]>("/api/limits", { everyMs: 5000 });
  const whatOf = ({ user, endpoint, tool, agent }: LimitView): string => {
    const parts = [
      user !== undefined && `${t("user")} ${user}`,
      endpoint !== undefined && `/mcp/${endpoint}`,
      tool !== undefined && `${t("tool")} ${tool}`,
      agent !== undefined && `${t("agent")} ${agent}`,
    ].filter((part) => part !== false);
    return parts.length === 0 ? t("everything") : parts.join(", ");
  };
  return (
    <>
      <FaultNote fault={limits.error} />
      {limits.data?.length === 0 && <Empty>{t("noLimits")}</Empty>}
      {limits.data !== undefined && limits.data.length > 0 && (
        <DataTable
          framed
          label={t("limits")}
          heads={[t("what"), t("used"), t("again")]}
          rows={limits.data.map((limit) => ({
            key: `${whatOf(limit)} ${limit.per}`,
            cells: [
              whatOf(limit),
              <span key="used" className="inline-flex items-center gap-2">
                <span className="h-1.5 w-24 overflow-hidden rounded-full bg-line" aria-hidden="true">
                  <span
                    className={`block h-full ${limit.used >= limit.limit ? "bg-bad" : "bg-accent"}`}
                    style={{ width: `${Math.min(100, (limit.used / limit.limit) * 100)}%` }}
                  />
                </span>
                <Badge tone={limit.used >= limit.limit ? "bad" : "plain"}>
                  {limit.used} / {limit.limit}
                </Badge>
                {t(limit.per === "session" ? "perSession" : limit.per)}
              </span>,
              limit.availableAt === undefined ? (
                ""
              ) : (
                <TimeView key="again" time={limit.availableAt} exact={false} />
              ),
            ],
          }))}
        />
      )}
    </>
  );
}
