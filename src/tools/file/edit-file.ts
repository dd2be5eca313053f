import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { fileChangeMethods } from "./change-files.js";
import { checkPath } from "./layers.js";
import { noChange } from "./layer-errors.js";
import { planFileEdit } from "./plan-file-edit.js";

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
  old_str: z
    .string()
    .describe("The text to replace, exactly as it is in the file. Empty to create a new file."),
  new_str: z.string().describe("The text to replace it with."),
  replace_all: z
    .boolean()
    .default(false)
    .describe("Replace every occurrence. Without it, old_str must be unique."),
});

/** Replaces text in a file. */
export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replace text in a file. old_str must be unique unless replace_all is set, and its lines must have been read before.",
  category: "file",
  annotations: { title: "Edit a file", dangerous: true },
  examples: [
    { arguments: { path: "src/index.ts", old_str: "const limit = 10;", new_str: "const limit = 20;" } },
  ],
  input,
  output: z.object({
    path: z.string(),
    replacements: z.number(),
    oldStrLen: z.number().describe("Length of old_str in characters."),
    newStrLen: z.number().describe("Length of new_str in characters."),
    contextSnippet: z.string().describe("The changed lines and the lines around them, with line numbers."),
    diff: z.string(),
    created: z.boolean(),
    matched: z
      .enum(["exact", "line-ends", "indentation"])
      .describe("How old_str was found: exactly, with different line ends, or with shifted indentation."),
  }),
  resources: ({ path }) => ({ reads: [{ path }], writes: [{ path }] }),
  ...fileChangeMethods({ check: checkFirstLayers, plan: planFileEdit }),
  render: ({ path, replacements, contextSnippet, created, matched }) => {
    const what = created
      ? `Created ${path}.`
      : `Edited ${path}: ${replacements} ${replacements === 1 ? "replacement" : "replacements"}.`;
    const how = matched === "exact" ? "" : ` (old_str matched except for its ${matchedWords[matched]}.)`;
    return `${what}${how}\n${contextSnippet}`;
  },
});

const matchedWords = { "line-ends": "line ends", indentation: "indentation, which was adjusted" };

/** Layers 1 and 2, which do not read the file. */
function checkFirstLayers({ path, old_str, new_str }: z.infer<typeof input>, ctx: ToolContext): void {
  if (old_str === new_str)
    throw noChange("old_str and new_str are identical, so the edit would change nothing.");
  checkPath(ctx, path);
}
