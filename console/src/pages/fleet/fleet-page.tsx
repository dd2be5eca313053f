import { useApi } from "../../api/use-api.js";
import type { FleetView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, type Tone } from "../../ui/badge.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty } from "../../ui/panel.js";
import { fleetText } from "./fleet-text.js";

type State = FleetView["members"][number]["state"] | FleetView["workspaces"][number]["state"];

const tones: Record<State, Tone> = {
  alive: "ok",
  draining: "info",
  gone: "bad",
  owned: "ok",
  free: "info",
  waiting: "warn",
};

/** The workers, fronts and workspaces of the fleet that this server is a front of. */
export default function FleetPage() {
  const t = usePageText(fleetText);
  const fleet = useApi<FleetView | null>("/api/fleet", { everyMs: 1000 });
  const { data } = fleet;
  return (
    <>
      <FaultNote fault={fleet.error} />
      {data === null && <Empty>{t("alone")}</Empty>}
      {data !== null && data !== undefined && (
        <>
          <p className="mb-3 text-sm">
            {t("queue", { queued: data.queued, seconds: (data.oldestMs / 1000).toFixed(1) })}
          </p>
          <Table
            caption={t("members")}
            heads={[
              t("state"),
              t("id"),
              t("kind"),
              t("host"),
              t("labels"),
              t("calls"),
              t("owns"),
              t("lease"),
            ]}
            rows={data.members.map((member) => ({
              key: member.id,
              state: member.state,
              shown: t(member.state),
              cells: [
                member.id,
                t(member.kind),
                member.host,
                member.labels.join(" "),
                member.kind === "worker" ? `${member.running}/${member.slots}` : "",
                member.kind === "worker" ? String(member.workspaces) : "",
                `${(member.silentMs / 1000).toFixed(1)} s`,
              ],
            }))}
          />
          <Table
            caption={t("workspaces")}
            heads={[t("state"), t("name"), t("worker"), t("place"), t("epoch"), t("takeovers"), t("queued")]}
            rows={data.workspaces.map((workspace) => ({
              key: workspace.name,
              state: workspace.state,
              shown: t(workspace.state),
              cells: [
                workspace.name,
                workspace.worker,
                workspace.place,
                String(workspace.epoch),
                String(workspace.takeovers),
                String(workspace.queued),
              ],
            }))}
          />
        </>
      )}
    </>
  );
}

interface Row {
  readonly key: string;
  readonly state: State;
  /** The state in words. */
  readonly shown: string;
  readonly cells: readonly string[];
}

function Table({
  caption,
  heads,
  rows,
}: {
  readonly caption: string;
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
}) {
  return (
    <div className="mb-4 overflow-auto rounded-md border border-line bg-panel" tabIndex={0}>
      <table className="w-full text-left text-xs">
        <caption className="px-2 py-1.5 text-left text-sm font-medium">{caption}</caption>
        <thead className="text-muted">
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" className="px-2 py-1.5 font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, state, shown, cells }) => (
            <tr key={key} className="border-t border-line align-top">
              <td className="px-2 py-1.5 whitespace-nowrap">
                <Badge tone={tones[state]}>{shown}</Badge>
              </td>
              {cells.map((cell, at) => (
                <td key={heads[at + 1]} className="px-2 py-1.5 wrap-anywhere">
                  <PlainText text={cell} line />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
