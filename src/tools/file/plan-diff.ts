import type { ToolContext } from "../../contract/context.js";
import { ToolError } from "../../contract/errors.js";
import type { FileMutation } from "../../contract/ports/files.js";
import type { FilePatch } from "../../text/file-patch.js";
import type { PlannedChange } from "./change-files.js";
import { createDiffStage, type DiffStage } from "./diff-stage.js";
import { filesNotRead } from "./layer-errors.js";
import { patchFile, type PatchedFile } from "./patch-file.js";

export interface DiffResult {
  files: DiffedFile[];
  diff: string;
}

export interface DiffedFile {
  path: string;
  action: FilePatch["kind"];
  from?: string;
  hunks: number;
  added: number;
  removed: number;
}

type DiffDeps = Pick<ToolContext, "files" | "seen">;

/** Check every file of a diff by layers 3 to 9, each after applying those before it. */
export async function planDiff(
  patches: readonly FilePatch[],
  deps: DiffDeps,
): Promise<PlannedChange<DiffResult>> {
  const stage = createDiffStage(deps);
  const done = await patchAll(stage, patches);
  const files = done.map(({ patch, patched }) => toDiffed(patch, patched));
  const diff = done.map(({ patched }) => patched.diff).join("");
  const count = files.length === 1 ? (files[0]?.path ?? "") : `${files.length} files`;
  return {
    mutations: done.flatMap(({ patched }): readonly FileMutation[] => patched.mutations),
    preview: { summary: `Apply a diff to ${count}`, diff, details: { files } },
    result: { files, diff },
    refresh: () => refreshAll(stage),
  };
}

/** Apply all patches to the stage. If files were not read, all of them are named at once. */
async function patchAll(
  stage: DiffStage,
  patches: readonly FilePatch[],
): Promise<{ patch: FilePatch; patched: PatchedFile }[]> {
  const done: { patch: FilePatch; patched: PatchedFile }[] = [];
  const unread: ToolError[] = [];
  const skipped = new Set<string>();
  for (const patch of patches) {
    const paths = [patch.oldPath, patch.newPath].filter((path) => path !== undefined);
    try {
      // What follows on a file that was not read cannot be judged.
      if (paths.some((path) => skipped.has(path))) continue;
      done.push({ patch, patched: await patchFile(stage, patch) });
    } catch (error) {
      const isUnread = error instanceof ToolError && error.code === "EDIT_NOT_READ";
      if (!isUnread && unread.length === 0) throw error;
      if (isUnread) unread.push(error);
      for (const path of paths) skipped.add(path);
    }
  }
  if (unread.length > 0) throw filesNotRead(unread);
  return done;
}

async function refreshAll(stage: DiffStage): Promise<void> {
  for (const path of stage.touched()) await stage.refresh(path);
}

function toDiffed({ kind, oldPath, newPath, hunks }: FilePatch, { added, removed }: PatchedFile): DiffedFile {
  const path = newPath ?? oldPath ?? "";
  const isMoved = (kind === "rename" || kind === "copy") && oldPath !== undefined;
  return { path, action: kind, ...(isMoved && { from: oldPath }), hunks: hunks.length, added, removed };
}
