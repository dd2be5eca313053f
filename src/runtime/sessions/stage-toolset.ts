import type { Stage } from "../../contract/ports/pipeline.js";
import type { Toolset } from "../../registry/toolsets.js";

/** The name of the toolset that follows the pipeline. */
export const followedToolset = "stage";

/** A toolset that changes with the pipeline. */
export interface StageToolset {
  readonly toolset: Toolset;
  /** Take up where the pipeline stands now. */
  refresh(): Promise<void>;
}

export interface StageToolsetOptions {
  readonly setFor: (stage: Stage) => Toolset;
  /** `null` when all stages are done, `undefined` where no iteration has begun. */
  readonly stage: () => Promise<Stage | null | undefined>;
}

/** The tools of the stage that the session's iteration is in; before and after all stages those of the first, which change least. */
export function followStage({ setFor, stage }: StageToolsetOptions): StageToolset {
  let now: Stage = "idea";
  return {
    toolset: { name: followedToolset, has: (entry) => setFor(now).has(entry) },
    async refresh() {
      now = (await stage()) ?? "idea";
    },
  };
}
