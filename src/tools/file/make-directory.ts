import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { changeFiles, type PlannedChange } from "./change-files.js";
import { checkCreatable, checkPath } from "./layers.js";
import { existsAlready } from "./layer-errors.js";

/** Makes a directory. */
export const makeDirectory = defineTool({
  name: "make_directory",
  description:
    "Make a directory, with those above it that are missing; one that is there already is left as it is.",
  category: "file",
  annotations: { title: "Make a directory", dangerous: true, idempotent: true },
  examples: [{ arguments: { path: "src/components" } }],
  input: z.object({
    path: z.string().min(1).describe("The directory, relative to the workspace or absolute."),
  }),
  output: z.object({ path: z.string(), created: z.boolean() }),
  resources: ({ path }) => ({ writes: [{ path }] }),
  checkPermissions: ({ path }, ctx) => {
    checkPath(ctx, path);
    return { behavior: "allow" };
  },
  preview: async ({ path }, ctx) => {
    checkPath(ctx, path);
    return (await planDirectory(path, ctx)).preview;
  },
  execute: ({ path }, ctx) => {
    checkPath(ctx, path);
    return changeFiles(ctx, () => planDirectory(path, ctx));
  },
  render: ({ path, created }) =>
    created ? `Made the directory ${path}.` : `The directory ${path} is there already.`,
});

async function planDirectory(
  path: string,
  ctx: ToolContext,
): Promise<PlannedChange<{ path: string; created: boolean }>> {
  const stat = await ctx.files.stat(path);
  if (stat === null) await checkCreatable(ctx, path);
  if (stat !== null && stat.type !== "directory") throw existsAlready(path);
  const created = stat === null;
  return {
    mutations: created ? [{ op: "mkdir", path }] : [],
    preview: { summary: created ? `Make the directory ${path}` : `The directory ${path} is there already` },
    result: { path, created },
    refresh: async () => {},
  };
}
