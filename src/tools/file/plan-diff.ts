import type { ToolContext } from "../../contract/context.js";
import type { FileMutation } from "../../contract/ports/files.js";
import type { FilePatch } from "../../text/file-patch.js";
import type { PlannedChange } from "./change-files.js";
import { createDiffDesk, type DiffDesk } from "./diff-desk.js";
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

type World = Pick<ToolContext, "files" | "seen">;

/** Bring every file of a diff through layers 3 to 9, each on the outcome of those before it. */
export async function planDiff(
  patches: readonly FilePatch[],
  world: World,
): Promise<PlannedChange<DiffResult>> {
  const desk = createDiffDesk(world);
  const done: { patch: FilePatch; patched: PatchedFile }[] = [];
  for (const patch of patches) done.push({ patch, patched: await patchFile(desk, patch) });
  const files = done.map(({ patch, patched }) => toDiffed(patch, patched));
  const diff = done.map(({ patched }) => patched.diff).join("");
  const count = files.length === 1 ? (files[0]?.path ?? "") : `${files.length} files`;
  return {
    mutations: done.flatMap(({ patched }): readonly FileMutation[] => patched.mutations),
    preview: { summary: `Apply a diff to ${count}`, diff, details: { files } },
    result: { files, diff },
    refresh: () => refreshAll(desk),
  };
}

async function refreshAll(desk: DiffDesk): Promise<void> {
  for (const path of desk.touched()) await desk.refresh(path);
}

function toDiffed({ kind, oldPath, newPath, hunks }: FilePatch, { added, removed }: PatchedFile): DiffedFile {
  const path = newPath ?? oldPath ?? "";
  const isMoved = (kind === "rename" || kind === "copy") && oldPath !== undefined;
  return { path, action: kind, ...(isMoved && { from: oldPath }), hunks: hunks.length, added, removed };
}
