import { choice, useAddress } from "../../address.js";
import type { BrowserSessionView, HostView } from "../../api/types.js";
import { useApi } from "../../api/use-api.js";
import { useChange } from "../../api/use-change.js";
import { usePageText } from "../../i18n/page-text.js";
import { roleText } from "../../i18n/role-text.js";
import { PlainText } from "../../text/plain-text.js";
import { TimeView } from "../../text/time-view.js";
import { toVisibleLine } from "../../../../src/text/visible-text.js";
import { Badge } from "../../ui/badge.js";
import { ConfirmButton } from "../../ui/confirm-button.js";
import { DataTable } from "../../ui/data-table.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { TabView } from "../../ui/tab-view.js";
import { Limits } from "./limits.js";
import { sessionsText } from "./text.js";

const params = { tab: choice(["hosts", "browsers", "limits"], "hosts") };

/** Who is connected with what, and how much of their limits they have used. */
export default function SessionsPage() {
  const t = usePageText(sessionsText);
  const { values, set } = useAddress("sessions", params);
  return (
    <TabView
      label={t("tabs")}
      value={values.tab}
      onChange={(tab) => set({ tab: params.tab.read(tab) ?? "hosts" })}
      tabs={[
        { id: "hosts", title: t("hosts"), content: <Hosts /> },
        { id: "browsers", title: t("browsers"), content: <Browsers /> },
        { id: "limits", title: t("limits"), content: <Limits /> },
      ]}
    />
  );
}

function Hosts() {
  const t = usePageText(sessionsText);
  const roleOf = usePageText(roleText);
  const path = "/api/hosts";
  const hosts = useApi<readonly HostView[]>(path, { everyMs: 3000 });
  const ending = useChange([path]);
  return (
    <>
      <FaultNote fault={hosts.error ?? ending.error} />
      {hosts.data?.length === 0 && <Empty>{t("noHosts")}</Empty>}
      {hosts.data !== undefined && hosts.data.length > 0 && (
        <DataTable
          framed
          label={t("hosts")}
          heads={[
            t("user"),
            t("role"),
            t("host"),
            t("endpoint"),
            t("address"),
            t("since"),
            t("seen"),
            t("state"),
          ]}
          actions={t("actions")}
          rows={hosts.data.map((host) => {
            const program = [host.client?.title ?? host.client?.name ?? t("unnamed"), host.client?.version];
            const name = toVisibleLine(program.filter((part) => part !== undefined).join(" "));
            return {
              key: host.id,
              cells: [
                host.user ?? t("you"),
                roleOf(toRole(host.role)),
                <PlainText key="host" text={name} line />,
                host.endpoint === undefined ? "/mcp" : `/mcp/${host.endpoint}`,
                host.address,
                <TimeView key="since" time={host.since} exact={false} />,
                <TimeView key="seen" time={host.lastSeen} exact={false} />,
                <Badge key="state" tone={host.busy ? "info" : "plain"}>
                  {t(host.busy ? "busy" : "idle")}
                </Badge>,
              ],
              actions: (
                <ConfirmButton
                  label={t("end")}
                  of={`${name} ${host.user ?? ""}`.trim()}
                  question={t("endSure", { name })}
                  disabled={ending.isPending}
                  onConfirm={() =>
                    ending.mutate({ method: "DELETE", path: `${path}/${encodeURIComponent(host.id)}` })
                  }
                />
              ),
            };
          })}
        />
      )}
    </>
  );
}

type RoleName = "viewer" | "operator" | "approver" | "admin";

/** The person on the machine itself is admin. */
function toRole(role: string | undefined): RoleName {
  return (role as RoleName | undefined) ?? "admin";
}

function Browsers() {
  const t = usePageText(sessionsText);
  const path = "/api/sessions";
  const browsers = useApi<readonly BrowserSessionView[]>(path, { everyMs: 5000 });
  const ending = useChange([path]);
  return (
    <>
      <FaultNote fault={browsers.error ?? ending.error} />
      {browsers.data?.length === 0 && <Empty>{t("noBrowsers")}</Empty>}
      {browsers.data !== undefined && browsers.data.length > 0 && (
        <DataTable
          framed
          label={t("browsers")}
          heads={[t("user"), t("browser"), t("address"), t("since"), t("seen")]}
          actions={t("actions")}
          rows={browsers.data.map((session) => ({
            key: session.id,
            cells: [
              session.user ?? t("you"),
              <span key="browser" className="inline-flex flex-wrap items-center gap-1">
                <PlainText text={session.browser} line />
                {session.current && <Badge tone="accent">{t("current")}</Badge>}
              </span>,
              session.address,
              <TimeView key="since" time={session.since} exact={false} />,
              <TimeView key="seen" time={session.lastSeen} exact={false} />,
            ],
            actions: !session.current && (
              <ConfirmButton
                label={t("end")}
                of={`${session.browser} ${session.user ?? ""}`.trim()}
                question={t("endBrowserSure", { name: session.user ?? session.browser })}
                disabled={ending.isPending}
                onConfirm={() =>
                  ending.mutate({ method: "DELETE", path: `${path}/${encodeURIComponent(session.id)}` })
                }
              />
            ),
          }))}
        />
      )}
    </>
  );
}
