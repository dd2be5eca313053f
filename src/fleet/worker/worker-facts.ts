import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import manifest from "../../../package.json" with { type: "json" };
import { workspaceAway } from "../bus/fleet-error.js";
import type { Bus } from "../bus/open-bus.js";
import { readJson } from "../bus/read-json.js";
import type { Roster } from "../bus/roster.js";
import type { ServerClock } from "../bus/server-clock.js";
import { ToolDefinitionError } from "../../contract/errors.js";
import type { ConsoleReach } from "../../contract/ports/approval.js";
import type { Lease } from "../bus/leases.js";
import { cancelSchema, leaseMs, protocolVersion, type Member, type WorkspaceEntry } from "../protocol.js";
import type { WorkerCalls } from "./worker-calls.js";
import type { OwnedWorkspace } from "./owned-workspace.js";
import type { WorkerOptions } from "./worker-options.js";

/** What a worker says of itself, under a new incarnation. */
export function newMember({ id, config, version = protocolVersion }: WorkerOptions): Member {
  return {
    kind: "worker",
    id,
    incarnation: randomUUID(),
    protocol: version,
    version: manifest.version,
    host: hostname(),
    labels: [...config.labels],
    slots: config.slots,
    running: 0,
  };
}

/** Hear of callers that want no answer any more; the result ends it. */
export function hearCancels(
  bus: Bus,
  {
    calls,
    onFault,
  }: { readonly calls: () => readonly WorkerCalls[]; readonly onFault: (cause: unknown) => void },
): () => void {
  const cancels = bus.connection.subscribe(bus.names.allCancels, {
    callback: (error, message) => {
      if (error !== null) return onFault(error);
      const read = cancelSchema.safeParse(readJson(message));
      const callId = message.subject.slice(message.subject.lastIndexOf(".") + 1);
      if (read.success) for (const each of calls()) each.cancel(callId, read.data);
    },
  });
  return () => {
    if (!cancels.isClosed()) cancels.unsubscribe();
  };
}

/** The front where somebody looked last. Fronts tell when by the server's time; here it is by this machine's clock. */
export function seenConsole(roster: Roster, now: () => number = Date.now): ConsoleReach | undefined {
  const fronts = [...roster.members.values()].filter(
    ({ value }) => value.kind === "front" && (value.url ?? "") !== "" && roster.isAlive(value.id),
  );
  const [seen] = fronts.sort((one, other) => (other.value.pageSeenAt ?? 0) - (one.value.pageSeenAt ?? 0));
  if (seen === undefined) return undefined;
  const { url = "", pageSeenAt = 0 } = seen.value;
  return { url, pageSeenAt: Math.min(now(), now() - roster.clock.now() + pageSeenAt) };
}

/** A worker that was killed has a lease until it runs out; one that still lives must not be doubled. */
export async function beginLease(lease: Lease, clock: ServerClock): Promise<void> {
  const until = performance.now() + leaseMs + 2000;
  while (!(await lease.begin(() => clock.now()))) {
    if (performance.now() > until)
      throw new ToolDefinitionError(`Another worker runs under the id "${lease.member.id}".`, {
        hint: "One worker at a time may use a folder of workspaces; give the other one another folder.",
      });
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** What the bucket says is true: a workspace that is free or another's there is not worked in here. */
export function isLostTo(
  entry: WorkspaceEntry | undefined,
  { epoch }: Pick<OwnedWorkspace, "epoch">,
  worker: string,
): boolean {
  if (entry === undefined) return false;
  return entry.epoch > epoch || (entry.epoch === epoch && entry.worker !== worker);
}

/** A tenant opens no more workspaces than it may. Two that claim at the same moment may pass together. */
export function checkQuota(roster: Roster, max: number | undefined, name: string): void {
  if (max === undefined) return;
  const open = [...roster.workspaces.keys()].filter(
    (one) => one !== name && roster.ownerOf(one) !== undefined,
  );
  if (open.length >= max)
    throw workspaceAway(
      `${open.length} workspaces are open, as many as fleet.quotas.workspaces allows.`,
      "End a session, drain a worker, or raise the quota.",
    );
}
