import type { ReactNode } from "react";
import { useApi } from "../../api/use-api.js";
import type { FleetView } from "../../api/types.js";
import { usePageText } from "../../i18n/page-text.js";
import { useDuration } from "../../text/format.js";
import { PlainText } from "../../text/plain-text.js";
import { Badge, type Tone } from "../../ui/badge.js";
import { DataTable } from "../../ui/data-table.js";
import { FaultNote } from "../../ui/fault-note.js";
import { Empty, Panel } from "../../ui/panel.js";
import { fleetText } from "./text.js";

type Member = FleetView["members"][number];
type Workspace = FleetView["workspaces"][number];

const tones: Record<Member["state"] | Workspace["state"], Tone> = {
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
  const toDuration = useDuration();
  const fleet = useApi<FleetView | null>("/api/fleet", { everyMs: 1000 });
  const { data } = fleet;
  return (
    <div className="flex flex-col gap-3">
      <FaultNote fault={fleet.error} />
      {data === null && <Empty>{t("alone")}</Empty>}
      {data !== null && data !== undefined && (
        <>
          <Members members={data.members} />
          <Workspaces workspaces={data.workspaces}>
            <span className="text-xs text-muted">
              {data.queued === 0
                ? t("noQueue")
                : t("queue", { queued: data.queued, time: toDuration(data.oldestMs) })}
            </span>
          </Workspaces>
        </>
      )}
    </div>
  );
}

function Members({ members }: { readonly members: readonly Member[] }) {
  const t = usePageText(fleetText);
  const toDuration = useDuration();
  const heads = ["state", "id", "kind", "host", "labels", "calls", "owns", "lease"] as const;
  return (
    <Panel title={t("members")}>
      <DataTable
        label={t("members")}
        heads={heads.map((head) => t(head))}
        rows={members.map((member) => {
          const isWorker = member.kind === "worker";
          return {
            key: member.id,
            cells: [
              <StateBadge key="state" state={member.state} />,
              <Line key="id" text={member.id} />,
              t(member.kind),
              <Line key="host" text={member.host} />,
              <Line key="labels" text={member.labels.join(" ") || "–"} />,
              isWorker ? `${member.running} / ${member.slots}` : "–",
              isWorker ? member.workspaces : "–",
              toDuration(member.silentMs),
            ],
          };
        })}
      />
    </Panel>
  );
}

interface WorkspacesProps {
  readonly workspaces: readonly Workspace[];
  /** What is said of all of them. */
  readonly children: ReactNode;
}

function Workspaces({ workspaces, children }: WorkspacesProps) {
  const t = usePageText(fleetText);
  const heads = ["state", "name", "worker", "place", "epoch", "takeovers", "queued"] as const;
  return (
    <Panel title={t("workspaces")} actions={children}>
      {workspaces.length === 0 && <Empty>{t("noWorkspaces")}</Empty>}
      {workspaces.length > 0 && (
        <DataTable
          label={t("workspaces")}
          heads={heads.map((head) => t(head))}
          rows={workspaces.map((workspace) => ({
            key: workspace.name,
            cells: [
              <StateBadge key="state" state={workspace.state} />,
              <Line key="name" text={workspace.name} />,
              <Line key="worker" text={workspace.worker || "–"} />,
              <Line key="place" text={workspace.place || "–"} />,
              workspace.epoch,
              workspace.takeovers,
              workspace.queued,
            ],
          }))}
        />
      )}
    </Panel>
  );
}

function StateBadge({ state }: { readonly state: Member["state"] | Workspace["state"] }) {
  const t = usePageText(fleetText);
  return <Badge tone={tones[state]}>{t(state)}</Badge>;
}

function Line({ text }: { readonly text: string }) {
  return (
    <span className="font-mono">
      <PlainText text={text} line />
    </span>
  );
}
