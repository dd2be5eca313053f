import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveConfig } from "../../config/resolve-config.js";
import type { TenonConfig } from "../../config/config-schema.js";
import { createTenon } from "../../runtime/create-tenon.js";
import { openBus, type Bus } from "../bus/open-bus.js";
import { Front } from "../front/front.js";
import { createFleetHost } from "../front/fleet-host.js";
import { openFrontKey } from "../keys.js";
import { openTenantState, workerIdOf, workerStateDir } from "../open-fleet.js";
import type { WorkerOptions } from "../worker/worker-options.js";
import { Worker } from "../worker/worker.js";

export interface FleetFixtureOptions {
  readonly nats: string;
  readonly database: string;
  readonly tenant?: string;
  readonly config?: TenonConfig;
  readonly version?: number;
}

/** Fronts and workers in this process, on real servers. */
export function createFleet({ nats, database, ...given }: FleetFixtureOptions) {
  const root = mkdtempSync(join(tmpdir(), "tenon-fleet-"));
  const faults: unknown[] = [];
  const onFault = (cause: unknown): void => void faults.push(cause);
  const closers: (() => Promise<void>)[] = [];
  const tenant = given.tenant ?? `t${Math.random().toString(36).slice(2, 10)}`;
  let count = 0;
  const configOf = (labels: readonly string[], more: TenonConfig["fleet"] = {}) =>
    resolveConfig({
      mode: "auto",
      ...given.config,
      database,
      fleet: { nats, tenant, labels: [...labels], ...more },
    });
  const tenantState = (config: ReturnType<typeof configOf>) => {
    const dir = join(root, `state-${count++}`);
    mkdirSync(dir);
    return openTenantState(config, { stateDir: dir, workspace: root }).then((opened) => ({ ...opened, dir }));
  };
  const bus = async (config: ReturnType<typeof configOf>): Promise<Bus> => {
    const opened = await openBus(config.fleet, onFault);
    closers.push(() => opened.close());
    return opened;
  };
  return {
    root,
    faults,
    tenant,
    async front({
      version,
      workspace = "main",
      trusted = true,
      fleet,
      listMs,
    }: {
      version?: number;
      workspace?: string;
      trusted?: boolean;
      fleet?: TenonConfig["fleet"];
      listMs?: number;
    } = {}) {
      const config = configOf([], fleet);
      const tenantRows = await tenantState(config);
      const { fronts, dir } = tenantRows;
      const key = openFrontKey(dir);
      if (trusted) await fronts.add(key);
      const front = await Front.open({
        bus: await bus(config),
        key,
        onFault,
        listMs,
        ...(version !== undefined && { version }),
      });
      closers.unshift(
        () => front.close(),
        () => tenantRows.close(),
      );
      return { front, key, host: createFleetHost(front, () => workspace, onFault) };
    },
    async worker({
      dir = join(root, `worker-${count++}`),
      labels = [],
      workspaces = ["main"],
      version,
      fleet,
      machineOf,
    }: {
      dir?: string;
      labels?: readonly string[];
      workspaces?: readonly string[];
      version?: number;
      fleet?: TenonConfig["fleet"];
      machineOf?: WorkerOptions["machineOf"];
    } = {}) {
      for (const name of workspaces) mkdirSync(join(dir, name), { recursive: true });
      const config = configOf(labels, fleet);
      const tenantRows = await tenantState(config);
      const { fronts } = tenantRows;
      const stateDir = workerStateDir(dir);
      const worker = await Worker.open({
        bus: await bus(config),
        config: config.fleet,
        fronts,
        id: workerIdOf(dir, labels),
        dir,
        machineOf,
        onFault,
        ...(version !== undefined && { version }),
        openTenon: (workspace, { ownership, interact }) =>
          createTenon({
            workspace,
            config: { mode: "auto", ...given.config, database, stateDir },
            ownership,
            interact,
          }),
      });
      closers.unshift(
        () => worker.close(),
        () => tenantRows.close(),
      );
      return { worker, dir };
    },
    async close(): Promise<void> {
      for (const close of closers.splice(0)) await close();
    },
  };
}
