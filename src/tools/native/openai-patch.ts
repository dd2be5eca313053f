import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { Tool } from "../../contract/tool.js";
import type { FilePatch } from "../../text/file-patch.js";
import { parseAddedLines, parseBeginPatch, parsePatchHunks } from "../../text/parse-begin-patch.js";
import { diffMethods, diffOutput, patchFolder, renderDiffed } from "../file/diff-input.js";

const operation = z.object({
  type: z.enum(["create_file", "update_file", "delete_file"]),
  path: z.string().min(1),
  diff: z
    .string()
    .optional()
    .describe("For create_file and update_file: lines that begin with ' ', '-', '+' or '@@'."),
});

const input = z.object({
  operation: operation.optional().describe("One change of a file."),
  patch: z.string().min(1).optional().describe("A whole patch, from '*** Begin Patch' to '*** End Patch'."),
  cwd: patchFolder,
});

/** OpenAI's `apply_patch`: one operation at a time, or a whole patch. */
export const openAiPatch: Tool = defineTool({
  name: "apply_patch",
  version: "2.0.0",
  description: "Create, update or delete a file with a diff.",
  category: "file",
  annotations: { title: "Apply a patch", dangerous: true },
  native: { provider: "openai", definition: { type: "apply_patch" } },
  replaces: ["write_file", "edit_file", "multi_edit", "apply_diff"],
  examples: [
    {
      arguments: {
        operation: {
          type: "update_file",
          path: "greet.py",
          diff: "@@ def greet():\n-    pass\n+    return 1\n",
        },
      },
    },
  ],
  input,
  output: diffOutput,
  ...diffMethods(toPatches, ({ cwd }) => cwd),
  render: renderDiffed,
});

function toPatches({ operation: wanted, patch }: z.infer<typeof input>): FilePatch[] {
  if ((wanted === undefined) === (patch === undefined)) {
    throw new ToolValidationError("Pass either operation or patch.", {
      code: "VALUE_INVALID",
      hint: "An operation is { type: create_file | update_file | delete_file, path, diff }.",
    });
  }
  return wanted === undefined ? parseBeginPatch(patch ?? "") : [toPatch(wanted)];
}

function toPatch({ type, path, diff = "" }: z.infer<typeof operation>): FilePatch {
  const style = "begin-patch" as const;
  if (type === "delete_file") return { style, kind: "delete", oldPath: path, hunks: [] };
  if (type === "create_file") return { style, kind: "create", newPath: path, hunks: parseAddedLines(diff) };
  return { style, kind: "modify", oldPath: path, newPath: path, hunks: parsePatchHunks(diff) };
}
