import type { Command } from "commander";
import type { FleetView } from "../../server/fleet-api.js";
import { plural } from "../../text/plural.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { addCommand, type AddCommand, type CommonFlags } from "../command-line.js";
import { withFront } from "../open-fleet.js";
import { loadFor } from "../open-tenon.js";
import { table, writeResult } from "../output.js";

/** `tenon fleet`: the workers and workspaces of a fleet. */
export const addFleet: AddCommand = (program, terminal) => {
  const fleet = program.command("fleet").description("Inspect and control a fleet of fronts and workers");
  addFleetCommand(fleet, "status", "Show workers, workspaces and queues").action(async (flags: CommonFlags) =>
    withFront(terminal, await loadFor(terminal, flags), async ({ view }) => {
      const found = await view();
      writeResult({ terminal, flags }, found, () => describe(found));
    }),
  );
  addFleetCommand(
    fleet,
    "drain <worker>",
    "Let a worker finish its calls and hand its workspaces back",
  ).action(async (worker: string, flags: CommonFlags) =>
    withFront(terminal, await loadFor(terminal, flags), async ({ ask }) => {
      await ask({ path: "/api/fleet/drain", body: { worker } });
      writeResult({ terminal, flags }, { drained: worker }, () => `Worker ${worker} takes no more calls.`);
    }),
  );
  addFleetCommand(
    fleet,
    "move <workspace> <worker>",
    "Move a workspace to another worker on the same volume",
  ).action(async (workspace: string, worker: string, flags: CommonFlags) =>
    withFront(terminal, await loadFor(terminal, flags), async ({ ask }) => {
      await ask({ path: "/api/fleet/move", body: { workspace, worker } });
      writeResult(
        { terminal, flags },
        { workspace, worker },
        () => `Worker ${worker} now owns ${workspace}.`,
      );
    }),
  );
};

function addFleetCommand(parent: Command, usage: string, description: string): Command {
  return addCommand(parent, usage, description)
    .option("--fleet <address>", "address of NATS, such as nats://host:4222")
    .option("--tenant <name>", "tenant of the fleet");
}

function describe({ tenant, members, workspaces, queued, oldestMs }: FleetView): string {
  const workers = members
    .filter(({ kind }) => kind === "worker")
    .map(({ id, state, host, labels, running, slots, workspaces: owned, silentMs }) => [
      id,
      state,
      host,
      labels.join(" "),
      `${running}/${slots}`,
      String(owned),
      `${(silentMs / 1000).toFixed(1)} s ago`,
    ]);
  const rows = workspaces.map(({ name, state, worker, place, epoch, takeovers, queued: waiting }) => [
    name,
    state,
    worker,
    place,
    String(epoch),
    String(takeovers),
    String(waiting),
  ]);
  const shown = (title: string, head: readonly string[], lines: readonly (readonly string[])[]): string =>
    lines.length === 0
      ? `No ${title}`
      : table([head, ...lines.map((line) => line.map((cell) => toVisibleLine(cell)))]);
  const fronts = members.filter(({ kind, state }) => kind === "front" && state === "alive").length;
  return [
    `Tenant ${tenant}: ${plural(fronts, "front")}, ${describeQueue(queued, oldestMs)}`,
    "",
    shown("workers", ["WORKER", "STATE", "HOST", "LABELS", "CALLS", "WORKSPACES", "RENEWED"], workers),
    "",
    shown("workspaces", ["WORKSPACE", "STATE", "OWNER", "FILES ON", "EPOCH", "TAKEOVERS", "QUEUED"], rows),
  ].join("\n");
}

/** Calls that wait for their answers, for `status` and `doctor`. */
export function describeQueue(queued: number, oldestMs: number): string {
  if (queued === 0) return "no calls are waiting";
  return `${plural(queued, "call")} not answered yet, the oldest for ${(oldestMs / 1000).toFixed(1)} s`;
}
