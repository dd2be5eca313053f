import type { Command } from "commander";
import type { FleetView } from "../../server/fleet-api.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { addCommand, type AddCommand, type CommonFlags } from "../command-line.js";
import { withFront } from "../open-fleet.js";
import { loadFor } from "../open-tenon.js";
import { table, writeResult } from "../output.js";

/** `tenon fleet`: the workers and workspaces of a fleet. */
export const addFleet: AddCommand = (program, terminal) => {
  const fleet = program.command("fleet").description("Inspect and steer a fleet of fronts and workers");
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
    withFront(terminal, await loadFor(terminal, flags), async ({ front }) => {
      await front.ask(worker, { verb: "drain", workspace: "" });
      writeResult({ terminal, flags }, { drained: worker }, () => `Worker ${worker} takes no more calls.`);
    }),
  );
  addFleetCommand(
    fleet,
    "move <workspace> <worker>",
    "Let another worker on the same volume own a workspace",
  ).action(async (workspace: string, worker: string, flags: CommonFlags) =>
    withFront(terminal, await loadFor(terminal, flags), async ({ front, move }) => {
      const moved = await move(front, workspace, worker);
      writeResult({ terminal, flags }, moved, () => `Worker ${worker} owns ${workspace} now.`);
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
      `${running}/${slots} calls`,
      `${owned} workspaces`,
      `lease ${(silentMs / 1000).toFixed(1)} s old`,
    ]);
  const rows = workspaces.map(({ name, state, worker, place, epoch, takeovers, queued: waiting }) => [
    name,
    state,
    worker,
    place,
    `epoch ${epoch}`,
    `${takeovers} takeovers`,
    `${waiting} queued`,
  ]);
  const shown = (lines: readonly (readonly string[])[]): string =>
    lines.length === 0 ? "  none" : table(lines.map((line) => line.map((cell) => toVisibleLine(cell))));
  const fronts = members.filter(({ kind, state }) => kind === "front" && state === "alive").length;
  return [
    `Tenant ${tenant}: ${fronts} fronts, ${queued} calls not answered, the oldest ${(oldestMs / 1000).toFixed(1)} s old`,
    "Workers",
    shown(workers),
    "Workspaces",
    shown(rows),
  ].join("\n");
}
