import type { FleetMemberView, FleetView, FleetWorkspaceView } from "../../server/fleet-api.js";
import type { Bus } from "../bus/open-bus.js";
import type { Roster } from "../bus/roster.js";

/** The fleet as it is now. */
export async function viewFleet(bus: Bus, roster: Roster): Promise<FleetView> {
  const now = roster.clock.now();
  const { state } = await bus.manager.streams.info(bus.names.calls, { subjects_filter: bus.names.allCalls });
  const queued = countByWorkspace(state.subjects ?? {});
  const owned = [...roster.workspaces].map(([name, { value }]): FleetWorkspaceView => {
    const isOwned = roster.ownerOf(name) !== undefined;
    return {
      name,
      worker: value.worker,
      state: isOwned ? "owned" : value.worker === "" ? "free" : "waiting",
      epoch: value.epoch,
      takeovers: value.takeovers ?? 0,
      place: value.volume === undefined ? `worker ${value.home ?? ""}` : `volume ${value.volume}`,
      queued: queued.get(name) ?? 0,
    };
  });
  const members = [...roster.members.values()].map(({ value, writtenAt }): FleetMemberView => {
    const { id, kind, host, version, protocol, labels = [], slots = 0, running = 0 } = value;
    const isAlive = roster.isAlive(id);
    return {
      id,
      kind,
      host,
      version,
      protocol,
      state: isAlive ? (value.draining === true ? "draining" : "alive") : "gone",
      labels,
      slots,
      running,
      silentMs: Math.max(0, Math.round(now - writtenAt)),
      workspaces: owned.filter(({ worker, state: of }) => worker === id && of === "owned").length,
    };
  });
  const oldestMs = state.messages === 0 ? 0 : Math.max(0, Math.round(now - Date.parse(state.first_ts)));
  const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
    one.name < other.name ? -1 : 1;
  return { tenant: bus.tenant, members, workspaces: owned.sort(byName), queued: state.messages, oldestMs };
}

function countByWorkspace(subjects: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [subject, count] of Object.entries(subjects)) {
    const workspace = subject.split(".")[3] ?? "";
    counts.set(workspace, (counts.get(workspace) ?? 0) + count);
  }
  return counts;
}

/** What an autoscaler looks at, as Prometheus reads it. */
export function fleetMetrics({ members, queued, oldestMs }: FleetView): string {
  const workers = members.filter(({ kind, state }) => kind === "worker" && state === "alive");
  const free = new Map<string, number>();
  for (const { labels, slots, running } of workers)
    for (const label of labels.length === 0 ? [""] : labels)
      free.set(label, (free.get(label) ?? 0) + Math.max(0, slots - running));
  const gauge = (name: string, help: string, rows: readonly string[]): string =>
    [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...rows, ""].join("\n");
  return [
    gauge("tenon_fleet_queued_calls", "Calls that were sent and not answered.", [
      `tenon_fleet_queued_calls ${queued}`,
    ]),
    gauge("tenon_fleet_oldest_call_seconds", "Age of the oldest of them.", [
      `tenon_fleet_oldest_call_seconds ${oldestMs / 1000}`,
    ]),
    gauge("tenon_fleet_workers", "Workers that are connected.", [`tenon_fleet_workers ${workers.length}`]),
    gauge(
      "tenon_fleet_free_slots",
      "Calls that could run at once, by label of the workers.",
      [...free].map(([label, count]) => `tenon_fleet_free_slots{label="${label}"} ${count}`),
    ),
  ].join("");
}
