import type { ControlGroup } from "./control-group.js";
import type { GuardIndex } from "./guard-index.js";
import type { RunJudge } from "./quarantine/judge-runs.js";
import type { SandboxLimits } from "./sandbox-types.js";
import type { SandboxView } from "./sandbox-view.js";

/** What a working sandbox is made of. */
export interface Wall {
  readonly bwrap: string;
  readonly version: string;
  readonly canBoundSize: boolean;
  readonly view: SandboxView;
  readonly index: GuardIndex;
  readonly group: ControlGroup;
  /** Judges what commands change. */
  readonly runs: RunJudge;
  /** Patterns of paths that change only with consent. */
  readonly careful: ReadonlySet<string>;
  readonly monotonic: () => number;
  /** What each running command that writes has mounted as kept: it cannot swap that, but all else. */
  readonly running: Set<ReadonlySet<string>>;
  /** Undefined on an architecture that the filter does not know. */
  readonly filter: Uint8Array | undefined;
  readonly limits: SandboxLimits;
}
