import { realpathSync } from "node:fs";
import type { ResolvedConfig } from "../config/resolve-config.js";
import { openBus } from "./bus/open-bus.js";
import { openTenantState, workerIdOf, workerStateDir } from "./open-fleet.js";
import type { OpenTenon } from "./worker/owned-workspace.js";
import type { WorkerOptions } from "./worker/worker-options.js";
import { Worker } from "./worker/worker.js";
import { makeFolder } from "../contract/make-folder.js";

export interface OpenWorkerOptions {
  readonly config: Pick<ResolvedConfig, "database" | "fleet">;
  /** The folder of the workspaces. */
  readonly workspaces: string;
  /** Opens the Tenon of one of them, whose state lies in the given folder. */
  readonly openTenon: (stateDir: string) => OpenTenon;
  readonly machineOf?: WorkerOptions["machineOf"];
  readonly onFault: (cause: unknown) => void;
}

/** Connect to both servers, and offer the workspaces of a folder. */
export async function openWorker(
  options: OpenWorkerOptions,
): Promise<{ readonly worker: Worker; close(): Promise<void> }> {
  const { config, onFault } = options;
  makeFolder(options.workspaces);
  const dir = realpathSync.native(options.workspaces);
  const stateDir = workerStateDir(dir);
  const tenant = await openTenantState(config, { stateDir, workspace: dir });
  try {
    const bus = await openBus(config.fleet, onFault);
    const worker = await Worker.open({
      bus,
      config: config.fleet,
      fronts: tenant.fronts,
      id: workerIdOf(dir, config.fleet.labels),
      dir,
      openTenon: options.openTenon(stateDir),
      machineOf: options.machineOf,
      onFault,
    }).catch(async (cause: unknown) => {
      await bus.close();
      throw cause;
    });
    return {
      worker,
      async close() {
        await worker.close();
        await bus.close();
        await tenant.close();
      },
    };
  } catch (cause) {
    await tenant.close();
    throw cause;
  }
}
