import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { plural } from "../../text/plural.js";
import { fileChangeMethods } from "./change-files.js";
import { checkPath } from "./layers.js";
import { noChange } from "./layer-errors.js";
import { planMultiEdit, type MultiEdit } from "./plan-multi-edit.js";

const input = z.object({
  path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
  edits: z
    .array(
      z.object({
        old_str: z.string().describe("The text to replace, exactly as it is in the file at this point."),
        new_str: z.string().describe("The text to replace it with."),
        replace_all: z.boolean().default(false).describe("Replace every occurrence."),
      }),
    )
    .min(1)
    .max(1000)
    .describe("Edits in order; each is applied to the result of those before it."),
});

/** Makes several edits of one file. */
export const multiEdit = defineTool({
  name: "multi_edit",
  description:
    "Replace several texts in one file, all or nothing. Each edit sees the result of those before it; its old_str must be unique unless replace_all is set. The lines must have been read before. An empty old_str in the first edit creates the file.",
  category: "file",
  annotations: { title: "Edit a file in several places", dangerous: true },
  examples: [
    {
      arguments: {
        path: "src/index.ts",
        edits: [
          { old_str: "const limit = 10;", new_str: "const limit = 20;" },
          { old_str: "oldName", new_str: "newName", replace_all: true },
        ],
      },
    },
  ],
  input,
  output: z.object({
    path: z.string(),
    edits: z.number(),
    replacements: z.number(),
    created: z.boolean(),
    diff: z.string(),
  }),
  resources: ({ path }) => ({ reads: [{ path }], writes: [{ path }] }),
  ...fileChangeMethods({ check: checkFirstLayers, plan: planMultiEdit }),
  render: ({ path, edits, replacements, created, diff }) => {
    const verb = created ? "Created" : "Edited";
    return `${verb} ${path}: ${plural(edits, "edit")}, ${plural(replacements, "replacement")}.\n${diff}`;
  },
});

/** Layers 1 and 2, which do not read the file. */
function checkFirstLayers({ path, edits }: MultiEdit, ctx: ToolContext): void {
  const same = edits.findIndex(({ old_str, new_str }) => old_str === new_str);
  if (same !== -1) throw noChange(`In edit ${same + 1}, old_str and new_str are identical.`);
  checkPath(ctx, path);
}
