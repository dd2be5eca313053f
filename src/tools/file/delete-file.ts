import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { PlannedChange } from "./change-files.js";
import { changeFiles } from "./change-files.js";
import { checkPath, requireUnchanged, standsAt } from "./layers.js";
import { fileMissing, needsRecursive } from "./layer-errors.js";

interface Deletion {
  readonly path: string;
  readonly recursive: boolean;
}

/** Deletes a file, a link or a directory. */
export const deleteFile = defineTool({
  name: "delete_file",
  description:
    "Delete a file, or a directory with all in it where recursive is set; undo_edit brings it back.",
  category: "file",
  annotations: { title: "Delete a file", dangerous: true },
  examples: [{ arguments: { path: "old.txt" } }, { arguments: { path: "build", recursive: true } }],
  input: z.object({
    path: z.string().min(1).describe("The file or directory, relative to the workspace or absolute."),
    recursive: z.boolean().default(false).describe("Delete a directory with all in it."),
  }),
  output: z.object({ path: z.string(), deleted: z.boolean() }),
  resources: ({ path, recursive }) => ({ writes: [recursive ? { tree: path } : { path }] }),
  checkPermissions: ({ path }, ctx) => {
    checkPath(ctx, path);
    return { behavior: "allow" };
  },
  preview: async (input, ctx) => {
    checkPath(ctx, input.path);
    return (await planDeletion(input, ctx)).preview;
  },
  execute: (input, ctx) => {
    checkPath(ctx, input.path);
    return changeFiles(ctx, () => planDeletion(input, ctx));
  },
  render: ({ path }) => `Deleted ${path}.`,
});

async function planDeletion(
  { path, recursive }: Deletion,
  ctx: ToolContext,
): Promise<PlannedChange<{ path: string; deleted: boolean }>> {
  const standing = await standsAt(ctx, path);
  if (standing === null) throw fileMissing(path);
  if (standing.type === "directory" && !recursive) throw needsRecursive(path);
  const stat = standing.type === "file" ? standing.stat : undefined;
  if (stat !== undefined) await requireUnchanged(ctx, path, stat);
  return {
    mutations: [{ op: "delete", path, recursive, ...(stat && { ifIdentity: stat.identity }) }],
    preview: { summary: `Delete the ${words[standing.type]} ${path}`, details: { type: standing.type } },
    result: { path, deleted: true },
    refresh: async () => ctx.seen.forget(path),
  };
}

const words = { file: "file", directory: "directory with all in it:", symlink: "link", other: "thing" };
