import { homedir } from "node:os";
import type { Command } from "commander";
import type { LoadedConfig } from "../config/load-config.js";
import { ToolError, toolErrorByCode } from "../contract/errors.js";
import { messageOf } from "../contract/message-of.js";
import type { createForward, Front } from "../fleet/index.js";
import { openOptions } from "../runtime/options.js";
import type { ApiError } from "../server/api.js";
import type { FleetView } from "../server/fleet-api.js";
import { UsageError, type CommonFlags, type Terminal } from "./command-line.js";
import { loadFor, withTenon, type OpenTenon } from "./open-tenon.js";
import { warn } from "./output.js";

interface OpenedFront {
  readonly front: Front;
  readonly view: () => Promise<FleetView>;
  readonly ask: AskFleet;
}

/** Ask the console's API of a workspace's owner. Throws what it refused. */
type AskFleet = (request: {
  readonly path: string;
  readonly workspace?: string;
  /** @default "POST" where there is a body */
  readonly method?: "PUT" | "DELETE";
  readonly body?: unknown;
}) => Promise<Response>;

/** A fleet, for a command that works across its workers. */
export interface OpenFleet extends OpenedFront {
  readonly terminal: Terminal;
  readonly flags: CommonFlags;
  readonly loaded: LoadedConfig;
  /** The workspace of `--workspace`, else all. */
  readonly workspaces: readonly string[];
}

/** Let a command work across a fleet, too. */
export function withFleetOptions(command: Command): Command {
  return command
    .option(
      "--fleet [address]",
      "across the workers of a fleet (NATS at this address, or fleet.nats); --workspace is then a name",
    )
    .option("--tenant <name>", "tenant of the fleet");
}

/** Run a command on one machine, or across a fleet where `--fleet` or the configuration says so. */
export async function aloneOrInFleet(
  terminal: Terminal,
  flags: CommonFlags,
  run: {
    readonly alone: (open: OpenTenon) => Promise<void>;
    readonly inFleet: (open: OpenFleet) => Promise<void>;
  },
): Promise<void> {
  const loaded = await fleetOf(terminal, flags);
  if (loaded === undefined) return withTenon(terminal, flags, run.alone);
  return withFront(terminal, loaded, async (opened) => {
    const { workspace } = flags;
    const known = [...opened.front.roster.workspaces.keys()].sort();
    if (workspace !== undefined && !known.includes(workspace))
      throw new ToolError(`Workspace "${workspace}" not found in the fleet.`, {
        code: "WORKSPACE_UNAVAILABLE",
        hint: "See: tenon fleet status",
      });
    const workspaces = workspace === undefined ? known : [workspace];
    await run.inFleet({ ...opened, terminal, flags, loaded, workspaces });
  });
}

/** The configuration where a fleet is meant. A folder that is named is one of this machine. */
export async function fleetOf(terminal: Terminal, flags: CommonFlags): Promise<LoadedConfig | undefined> {
  const { workspace, ...rest } = flags;
  if (flags.fleet !== undefined) return loadFor(terminal, rest);
  if (workspace !== undefined) return undefined;
  const loaded = await loadFor(terminal, flags);
  return loaded.config.fleet.nats === undefined ? undefined : loaded;
}

/** Join the fleet as a front for the time of one command. */
export async function withFront(
  terminal: Terminal,
  loaded: LoadedConfig,
  run: (fleet: OpenedFront) => Promise<void>,
): Promise<void> {
  const { stateDir, workspace } = openOptions({ loaded, env: terminal.env, home: homedir() });
  const fleet = await import("../fleet/index.js");
  const onFault = (cause: unknown): void => warn(terminal, messageOf(cause));
  const { config } = loaded;
  const tenant = await fleet.openTenantState(config, { stateDir, workspace });
  try {
    const key = fleet.openFrontKey(stateDir);
    await tenant.fronts.add(key);
    const bus = await fleet.openBus(config.fleet, onFault);
    try {
      const front = await fleet.Front.open({ bus, key, onFault, isPassing: true });
      const forward = fleet.createForward({ front, config, missing: () => undefined });
      const view = (): Promise<FleetView> => fleet.viewFleet(bus, front.roster);
      await run({ front, view, ask: createAsk(forward) });
      await front.close();
    } finally {
      await bus.close();
    }
  } finally {
    await tenant.close();
  }
}

/** Who may use the front's key may do what the token for programs allows. */
function createAsk(forward: ReturnType<typeof createForward>): AskFleet {
  return async ({ path, workspace, body, method }) => {
    const headers = {
      "content-type": "application/json",
      ...(workspace !== undefined && { "tenon-workspace": workspace }),
    };
    const how =
      body === undefined
        ? { method: method ?? "GET" }
        : { method: method ?? "POST", body: JSON.stringify(body) };
    const answer = await forward(new Request(`http://fleet${path}`, { headers, ...how }), { by: "token" });
    if (answer === undefined) throw new Error(`No worker answers ${path}.`);
    if (answer.ok) return answer;
    throw toolErrorByCode(((await answer.json()) as ApiError).error);
  };
}

/** The one workspace that a command is for: the one that is named, or the only one. */
export function oneWorkspace({ workspaces }: Pick<OpenFleet, "workspaces">): string {
  const [only, ...others] = workspaces;
  if (only === undefined) throw new UsageError("The fleet has no workspaces yet. See: tenon fleet status");
  if (others.length === 0) return only;
  throw new UsageError(`Which workspace? Pass --workspace with one of: ${workspaces.join(", ")}.`);
}

/** Ask all workspaces; those that cannot be asked now are named on standard error, and the command fails. */
export async function askEach<T>(
  { workspaces, terminal }: Pick<OpenFleet, "workspaces" | "terminal">,
  ask: (workspace: string) => Promise<T>,
): Promise<readonly { readonly workspace: string; readonly answer: T }[]> {
  const asked = await Promise.allSettled(
    workspaces.map(async (workspace) => ({ workspace, answer: await ask(workspace) })),
  );
  return asked.flatMap((one, at) => {
    if (one.status === "fulfilled") return [one.value];
    warn(terminal, `${workspaces[at] ?? ""}: ${messageOf(one.reason)}`);
    terminal.exitCode ||= 1;
    return [];
  });
}
