import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { PlannedChange } from "./change-files.js";
import { fileChangeMethods } from "./change-files.js";
import { checkPath, requireUnchanged, entryAt } from "./layers.js";
import { fileMissing, needsRecursive } from "./layer-errors.js";

interface Deletion {
  readonly path: string;
  readonly recursive: boolean;
}

/** Deletes a file, a symbolic link or a directory. */
export const deleteFile = defineTool({
  name: "delete_file",
  description: "Delete a file, or a directory and its contents with recursive. Can be undone with undo_edit.",
  category: "file",
  annotations: { title: "Delete a file", dangerous: true },
  examples: [{ arguments: { path: "old.txt" } }, { arguments: { path: "build", recursive: true } }],
  input: z.object({
    path: z.string().min(1).describe("The file or directory, relative to the workspace or absolute."),
    recursive: z.boolean().default(false).describe("Delete a directory and its contents."),
  }),
  output: z.object({ path: z.string(), deleted: z.boolean() }),
  resources: ({ path, recursive }) => ({ writes: [recursive ? { tree: path } : { path }] }),
  ...fileChangeMethods({ check: ({ path }, ctx) => checkPath(ctx, path), plan: planDeletion }),
  render: ({ path }) => `Deleted ${path}.`,
});

async function planDeletion(
  { path, recursive }: Deletion,
  ctx: ToolContext,
): Promise<PlannedChange<{ path: string; deleted: boolean }>> {
  const entry = await entryAt(ctx, path);
  if (entry === null) throw await fileMissing(ctx, path);
  if (entry.type === "directory" && !recursive) throw needsRecursive(path);
  const stat = entry.type === "file" ? entry.stat : undefined;
  if (stat !== undefined) await requireUnchanged(ctx, path, stat);
  return {
    mutations: [{ op: "delete", path, recursive, ...(stat && { ifIdentity: stat.identity }) }],
    preview: { summary: `Delete the ${typeNames[entry.type]} ${path}`, details: { type: entry.type } },
    result: { path, deleted: true },
    refresh: async () => ctx.seen.forget(path),
  };
}

const typeNames = {
  file: "file",
  directory: "directory and its contents:",
  symlink: "symbolic link",
  other: "special file",
};
