import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { changeFiles } from "./change-files.js";
import { checkPath } from "./layers.js";
import { noChange } from "./layer-errors.js";
import { planFileEdit } from "./plan-file-edit.js";

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
  old_str: z
    .string()
    .describe(
      "The text to replace, exactly as it stands in the file; empty to create a file that is not there.",
    ),
  new_str: z.string().describe("The text to put in its place."),
  replace_all: z.boolean().default(false).describe("Replace every occurrence instead of the only one."),
});

/** Replaces one text in a file by another. */
export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replace a text in a file by another; old_str must be unique unless replace_all is set, and its lines must have been read before.",
  category: "file",
  annotations: { title: "Edit a file", dangerous: true },
  examples: [
    { arguments: { path: "src/index.ts", old_str: "const limit = 10;", new_str: "const limit = 20;" } },
  ],
  input,
  output: z.object({
    path: z.string(),
    replacements: z.number(),
    oldStrLen: z.number().describe("Characters of old_str."),
    newStrLen: z.number().describe("Characters of new_str."),
    contextSnippet: z.string().describe("The changed lines and those around them, numbered."),
    diff: z.string(),
    created: z.boolean(),
    matched: z
      .enum(["exact", "line-ends", "indentation"])
      .describe(
        "What had to be overlooked to find old_str: nothing, line ends, or one shift of its indentation.",
      ),
  }),
  resources: ({ path }) => ({ reads: [{ path }], writes: [{ path }] }),
  checkPermissions: (edit, ctx) => {
    checkFirstLayers(edit, ctx);
    return { behavior: "allow" };
  },
  preview: async (edit, ctx) => {
    checkFirstLayers(edit, ctx);
    return (await planFileEdit(edit, ctx)).preview;
  },
  execute: (edit, ctx) => {
    checkFirstLayers(edit, ctx);
    return changeFiles(ctx, () => planFileEdit(edit, ctx));
  },
  render: ({ path, replacements, contextSnippet, created, matched }) => {
    const what = created
      ? `Created ${path}.`
      : `Edited ${path}: ${replacements} ${replacements === 1 ? "place" : "places"}.`;
    const how = matched === "exact" ? "" : ` (old_str matched but for its ${matchedWords[matched]}.)`;
    return `${what}${how}\n${contextSnippet}`;
  },
});

const matchedWords = { "line-ends": "line ends", indentation: "indentation, which was shifted to fit" };

/** Layers 1 and 2, which need no look at the file. */
function checkFirstLayers({ path, old_str, new_str }: z.infer<typeof input>, ctx: ToolContext): void {
  if (old_str === new_str)
    throw noChange("old_str and new_str are the same, so the edit would change nothing.");
  checkPath(ctx, path);
}
