import type { ToolContext } from "../../contract/context.js";
import type { FileMutation } from "../../contract/ports/files.js";
import type { ToolPreview } from "../../contract/tool.js";
import { writeTooLarge } from "../../contract/write-too-large.js";
import { isConflict } from "./layer-errors.js";

/** A change that passed all layers. */
export interface PlannedChange<Result> {
  readonly mutations: readonly FileMutation[];
  readonly preview: ToolPreview;
  readonly result: Result;
  /** Update which lines the session knows. */
  refresh(): Promise<void>;
  /** Give back the memory of the file, once the change is made and nothing needs it any more. */
  giveBack?(): void;
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
    planned?.giveBack?.();
    return (planned as PlannedChange<Result>).result;
  }
}

/** The preview of a change; one that would be refused for its size is refused here, before a person is asked. */
export async function previewChange<Result>(
  { files }: Pick<ToolContext, "files">,
  { mutations, preview }: PlannedChange<Result>,
): Promise<ToolPreview> {
  const limit = files.maxFileSize ?? Number.POSITIVE_INFINITY;
  for (const mutation of mutations) {
    if (!("path" in mutation)) continue;
    const before = mutation.op === "append" ? ((await files.stat(mutation.path))?.size ?? 0) : 0;
    const size = before + sizeOf(mutation);
    if (size > limit) throw writeTooLarge(mutation.path, size, limit);
  }
  return preview;
}

/** The size of what a mutation writes. */
function sizeOf(mutation: FileMutation): number {
  if (mutation.op === "write" || mutation.op === "append") return mutation.data.length;
  if (mutation.op !== "splice") return 0;
  return mutation.splices.reduce(
    (sum, { start, end, data }) => sum + data.length - (end - start),
    mutation.before.length,
  );
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
      return previewChange(ctx, await plan(input, ctx));
    },
    execute(input: Input, ctx: ToolContext): Promise<Result> {
      check(input, ctx);
      return changeFiles(ctx, () => plan(input, ctx));
    },
  };
}
