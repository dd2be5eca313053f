import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { fileChangeMethods, type PlannedChange } from "./change-files.js";
import { checkCreatable, checkPath } from "./layers.js";
import { existsAlready } from "./layer-errors.js";

/** Creates a directory. */
export const makeDirectory = defineTool({
  name: "make_directory",
  description: "Create a directory and its missing parents. An existing directory is left unchanged.",
  category: "file",
  annotations: { title: "Create a directory", dangerous: true, idempotent: true },
  examples: [{ arguments: { path: "src/components" } }],
  input: z.object({
    path: z.string().min(1).describe("The directory, relative to the workspace or absolute."),
  }),
  output: z.object({ path: z.string(), created: z.boolean() }),
  resources: ({ path }) => ({ writes: [{ path }] }),
  ...fileChangeMethods({ check: ({ path }, ctx) => checkPath(ctx, path), plan: planDirectory }),
  render: ({ path, created }) =>
    created ? `Created the directory ${path}.` : `The directory ${path} already exists.`,
});

async function planDirectory(
  { path }: { readonly path: string },
  ctx: ToolContext,
): Promise<PlannedChange<{ path: string; created: boolean }>> {
  const stat = await ctx.files.stat(path);
  if (stat === null) await checkCreatable(ctx, path);
  if (stat !== null && stat.type !== "directory") throw existsAlready(path);
  const created = stat === null;
  return {
    mutations: created ? [{ op: "mkdir", path }] : [],
    preview: { summary: created ? `Create the directory ${path}` : `The directory ${path} already exists` },
    result: { path, created },
    refresh: async () => {},
  };
}
