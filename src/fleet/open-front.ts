import type { ResolvedConfig } from "../config/resolve-config.js";
import type { TenonEvent } from "../contract/events.js";
import { withinTime } from "../contract/system-clock.js";
import { createMcpHttp } from "../mcp/server/create-mcp-http.js";
import type { Forward } from "../server/create-app.js";
import type { McpEndpoint } from "../server/mcp-endpoint.js";
import type { RouteContext } from "../server/route-context.js";
import { openBus } from "./bus/open-bus.js";
import { readJson } from "./bus/read-json.js";
import { createFleetHost } from "./front/fleet-host.js";
import { fleetMetrics, viewFleet } from "./front/fleet-status.js";
import { createForward, unavailable } from "./front/forward.js";
import { Front } from "./front/front.js";
import { createSessionDirectory } from "./front/session-buckets.js";
import { createWorkspaceOf } from "./front/workspace-of.js";
import { openFrontKey } from "./keys.js";
import { openTenantState, type TenantState } from "./open-fleet.js";

export interface OpenFrontOptions {
  readonly config: Pick<ResolvedConfig, "database" | "fleet" | "endpoints">;
  readonly stateDir: string;
  readonly workspace: string;
  readonly onFault: (cause: unknown) => void;
}

/** What a server needs to be a front of a fleet. */
export interface OpenedFront {
  readonly front: Front;
  readonly mcp: McpEndpoint;
  readonly forward: Forward;
  /** More rows for `/metrics`. */
  readonly metrics: () => Promise<string>;
  /** The server is open: it shows what happens in all workspaces. */
  readonly serve: (served: RouteContext) => void;
  /** Where its console is. */
  open(url: string): void;
  close(): Promise<void>;
}

const checkEveryMs = 1000;

/** Connect to both servers, and speak for all workers. */
export async function openFront({
  config,
  stateDir,
  workspace,
  onFault,
}: OpenFrontOptions): Promise<OpenedFront> {
  const tenant = await openTenantState(config, { stateDir, workspace, patienceMs: 900 });
  try {
    const key = openFrontKey(stateDir);
    await tenant.fronts.add(key);
    const bus = await openBus(config.fleet, onFault);
    let url = "";
    let served: RouteContext | undefined;
    const pageSeenMsAgo = (): number =>
      served === undefined ? Infinity : served.feed.clients > 0 ? 0 : Date.now() - served.feed.leftAt;
    const console = (): { url: string; pageSeenMsAgo: number } => ({ url, pageSeenMsAgo: pageSeenMsAgo() });
    const front = await Front.open({ bus, key, onFault, console });
    // One that was restored from a backup may not know this front.
    const database = watchDatabase(tenant, () => void tenant.fronts.add(key).catch(onFault));
    const missing = (): string | undefined => {
      if (!bus.isOnline()) return "NATS";
      return database.isThere() ? undefined : "PostgreSQL";
    };
    const directory = createSessionDirectory(bus);
    const workspaceOf = createWorkspaceOf(front, config);
    const host = createFleetHost(front, workspaceOf, onFault, (session) => directory.isEnded(session));
    const mcp = createMcpHttp(host, { directory, onError: onFault });
    const feed = bus.connection.subscribe(bus.names.allEvents, {
      callback: (error, message) => {
        if (error !== null || served === undefined) return;
        const { event } = Object(readJson(message)) as { event?: TenonEvent };
        if (event !== undefined) served.feed.push(event);
      },
    });
    return {
      front,
      mcp: {
        async handle(request, response, who) {
          const away = missing();
          if (away !== undefined) throw unavailable(away);
          await mcp.handle(request, response, who);
        },
        close: () => mcp.close(),
        hosts: () => mcp.hosts(),
        endHost: (id) => mcp.endHost(id),
      },
      forward: createForward({ front, config, missing }),
      metrics: async () => (bus.isOnline() ? fleetMetrics(await viewFleet(bus, front.roster)) : ""),
      serve: (routes) => void (served = routes),
      open(at) {
        url = at;
        // A call that waits for a person a moment later points to it.
        front.announce().catch(onFault);
      },
      async close() {
        if (!feed.isClosed()) feed.unsubscribe();
        database.stop();
        await front.close();
        await bus.close();
        await tenant.close();
      },
    };
  } catch (cause) {
    await tenant.close();
    throw cause;
  }
}

/** Whether the database answers; asked each second, so that nobody has to wait to learn that it does not. */
function watchDatabase({ state }: TenantState, onReturn: () => void): { isThere(): boolean; stop(): void } {
  let isThere = true;
  let asking = false;
  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    const wasThere = isThere;
    isThere = await withinTime(() => state.sql.get("SELECT 1"), checkEveryMs, "asking the database").then(
      () => true,
      () => false,
    );
    asking = false;
    if (isThere && !wasThere) onReturn();
  };
  const timer = setInterval(() => void ask(), checkEveryMs);
  timer.unref();
  return { isThere: () => isThere, stop: () => clearInterval(timer) };
}
