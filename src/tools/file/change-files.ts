import type { ToolContext } from "../../contract/context.js";
import type { FileMutation } from "../../contract/ports/files.js";
import type { ToolPreview } from "../../contract/tool.js";
import { isConflict } from "./layer-errors.js";

/** A change that passed all layers. */
export interface PlannedChange<Result> {
  readonly mutations: readonly FileMutation[];
  readonly preview: ToolPreview;
  readonly result: Result;
  /** Tell the session what it knows now. */
  refresh(): Promise<void>;
}

const attempts = 4;

/**
 * Judge a change and make it, in one turn of the journal: no other Tenon, in no process, changes anything
 * between the two. Where another program did, it is judged anew.
 */
export async function changeFiles<Result>(
  { files }: Pick<ToolContext, "files">,
  plan: () => Promise<PlannedChange<Result>>,
): Promise<Result> {
  for (let left = attempts; ; left -= 1) {
    let planned: PlannedChange<Result> | undefined;
    try {
      await files.apply(async () => {
        planned = await plan();
        return planned.mutations;
      });
    } catch (error) {
      // What the layers themselves refuse stays refused.
      if (left > 1 && planned !== undefined && isConflict(error)) continue;
      throw error;
    }
    // The file is changed; a failure to look at it again must not make it seem otherwise.
    await planned?.refresh().catch(() => undefined);
    return (planned as PlannedChange<Result>).result;
  }
}
