import type { ControlGroup } from "./control-group.js";
import type { GuardIndex } from "./guard-index.js";
import type { Layers } from "./layer/layers.js";
import type { RunJudge } from "./quarantine/judge-runs.js";
import type { SandboxLimits } from "./sandbox-types.js";
import type { SandboxView } from "./sandbox-view.js";
import type { NetworkActivity } from "../forwarder/network-activity.js";
import type { SessionNetworks } from "./network/session-networks.js";

/** The parts of a working sandbox. */
export interface ActiveSandbox {
  readonly bwrap: string;
  readonly version: string;
  readonly canLimitSize: boolean;
  readonly view: SandboxView;
  readonly index: GuardIndex;
  readonly group: ControlGroup;
  /** For commands whose changes are committed when they have ended. */
  readonly layers: Layers;
  /** Judges what commands change. */
  readonly runs: RunJudge;
  /** Patterns of paths that change only with consent. */
  readonly careful: ReadonlySet<string>;
  readonly monotonic: () => number;
  /** For each running command that writes, the paths that it has mounted and therefore cannot replace. */
  readonly running: Set<ReadonlySet<string>>;
  /** `undefined` on architectures without a filter. */
  readonly filter: Uint8Array | undefined;
  readonly limits: SandboxLimits;
  /** Names of hosts whose credentials a command sees if it is granted them by name. */
  readonly credentials: ReadonlySet<string>;
  readonly networks: SessionNetworks;
  readonly activity: NetworkActivity;
}
