import type { ToolContext } from "../../contract/context.js";
import type { FileMutation } from "../../contract/ports/files.js";
import type { ToolPreview } from "../../contract/tool.js";
import { isConflict } from "./layer-errors.js";

/** A change that passed all layers. */
export interface PlannedChange<Result> {
  readonly mutations: readonly FileMutation[];
  readonly preview: ToolPreview;
  readonly result: Result;
  /** Update which lines the session knows. */
  refresh(): Promise<void>;
}

const attempts = 4;

/**
 * Check a change and apply it within one turn of the journal, so that no other Tenon process can change anything in
 * between. If another program did, the change is checked again.
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
      // What the checks refuse stays refused.
      if (left > 1 && planned !== undefined && isConflict(error)) continue;
      throw error;
    }
    // The file is changed; a failure to read it again must not look like a failed change.
    await planned?.refresh().catch(() => undefined);
    return (planned as PlannedChange<Result>).result;
  }
}

/** How a tool that changes files works. */
export interface FileChange<Input, Result> {
  /** Checks that do not read files; throws if one fails. */
  readonly check: (input: Input, ctx: ToolContext) => void;
  readonly plan: (input: Input, ctx: ToolContext) => Promise<PlannedChange<Result>>;
}

/** The methods of a tool that changes files: check, preview the planned change, apply it. */
export function fileChangeMethods<Input, Result>({ check, plan }: FileChange<Input, Result>) {
  return {
    checkPermissions(input: Input, ctx: ToolContext) {
      check(input, ctx);
      return { behavior: "allow" as const };
    },
    async preview(input: Input, ctx: ToolContext): Promise<ToolPreview> {
      check(input, ctx);
      return (await plan(input, ctx)).preview;
    },
    execute(input: Input, ctx: ToolContext): Promise<Result> {
      check(input, ctx);
      return changeFiles(ctx, () => plan(input, ctx));
    },
  };
}
