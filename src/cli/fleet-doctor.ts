import { plural } from "../text/plural.js";
import { messageOf } from "../contract/message-of.js";
import type { FleetView } from "../server/fleet-api.js";
import { describeQueue } from "./commands/fleet.js";
import { examineBroken, type Finding } from "./examine.js";
import { askEach, withFront, type OpenFleet } from "./open-fleet.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { CommonFlags, Terminal } from "./command-line.js";

/** Check a fleet: its servers, its workers, and each workspace by the worker that owns it. */
export async function examineFleet(
  terminal: Terminal,
  flags: CommonFlags,
  loaded: LoadedConfig,
): Promise<readonly Finding[]> {
  let findings: readonly Finding[] | undefined;
  try {
    await withFront(terminal, loaded, async (opened) => {
      const { workspace } = flags;
      const known = [...opened.front.roster.workspaces.keys()].sort();
      const workspaces = workspace === undefined ? known : [workspace];
      findings = await examineOpen({ ...opened, terminal, flags, loaded, workspaces });
    });
  } catch (cause) {
    // Neither server is named by its secrets.
    return findings ?? [...examineBroken(cause).slice(0, 1), failure("fleet", messageOf(cause))];
  }
  return findings ?? [];
}

async function examineOpen(open: OpenFleet): Promise<readonly Finding[]> {
  const view = await open.view();
  const examined = await askEach(open, async (workspace) => {
    const response = await open.ask({ path: "/api/doctor", workspace });
    return (await response.json()) as readonly Finding[];
  });
  const skipped = open.workspaces.filter((name) => !examined.some(({ workspace }) => workspace === name));
  return [
    { name: "fleet", status: "ok", message: `NATS and PostgreSQL answer, tenant ${view.tenant}` },
    ...checkWorkers(view),
    ...skipped.map((name) => failure(name, "no worker can be reached", "tenon fleet status")),
    ...examined.flatMap(({ workspace, answer }) =>
      answer.map((finding) => ({ ...finding, name: `${workspace}: ${finding.name}` })),
    ),
  ];
}

function checkWorkers({ members, queued, oldestMs }: FleetView): readonly Finding[] {
  const alive = members.filter(({ kind, state }) => kind === "worker" && state !== "gone");
  const versions = new Set(members.filter(({ state }) => state !== "gone").map(({ version }) => version));
  const fix = "tenon worker --fleet nats://HOST:4222 --workspaces DIR";
  const workers: Finding =
    alive.length === 0
      ? failure("workers", "no worker is running", fix)
      : { name: "workers", status: "ok", message: plural(alive.length, "worker") };
  const isSlow = oldestMs > slowMs;
  const queue = describeQueue(queued, oldestMs);
  return [
    workers,
    {
      name: "queue",
      status: isSlow ? "warn" : "ok",
      message: queue,
      ...(isSlow && { fix: "tenon fleet status" }),
    },
    ...(versions.size <= 1
      ? []
      : [
          {
            name: "versions",
            status: "warn" as const,
            message: `different versions are running: ${[...versions].join(", ")}`,
            fix: "npm install -g tenon@latest",
          },
        ]),
  ];
}

const slowMs = 60_000;

function failure(name: string, message: string, fix?: string): Finding {
  return { name, status: "fail", message, fix };
}
