import type { Bus, FleetConfig } from "../bus/open-bus.js";
import type { TrustedFronts } from "../keys.js";
import type { OpenTenon, OwnedWorkspaceOptions } from "./owned-workspace.js";

export interface WorkerOptions {
  readonly bus: Bus;
  readonly config: FleetConfig;
  readonly fronts: TrustedFronts;
  /** The same with each start, as its workspaces lie on its disk. */
  readonly id: string;
  /** The folder of the workspaces. */
  readonly dir: string;
  readonly openTenon: OpenTenon;
  readonly machineOf?: OwnedWorkspaceOptions["machineOf"];
  readonly onFault: (cause: unknown) => void;
  /** Of the protocol. @default this program's */
  readonly version?: number | undefined;
}
