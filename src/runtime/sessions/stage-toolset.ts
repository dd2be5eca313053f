import type { Stage } from "../../contract/ports/pipeline.js";
import type { Toolset } from "../../registry/toolsets.js";

/** The name of the toolset that follows the pipeline. */
export const followedToolset = "stage";

/** A toolset that changes with the pipeline. */
export interface StageToolset {
  readonly toolset: Toolset;
  /** Update to the current stage. */
  refresh(): Promise<void>;
}

export interface StageToolsetOptions {
  readonly setFor: (stage: Stage) => Toolset;
  /** `null` when all stages are done, `undefined` before the first iteration. */
  readonly stage: () => Promise<Stage | null | undefined>;
}

/** The tools of the current stage; before and after all stages those of the first, which can change the least. */
export function followStage({ setFor, stage }: StageToolsetOptions): StageToolset {
  let now: Stage = "idea";
  return {
    toolset: { name: followedToolset, has: (entry) => setFor(now).has(entry) },
    async refresh() {
      now = (await stage()) ?? "idea";
    },
  };
}
