import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { isBeginPatch, parseBeginPatch } from "../../text/parse-begin-patch.js";
import { parseUnifiedDiff } from "../../text/parse-diff.js";
import { diffMethods, diffOutput, patchFolder, renderDiffed } from "./diff-input.js";

/** Applies a patch in the `*** Begin Patch` format. */
export const applyPatch = defineTool({
  name: "apply_patch",
  description:
    "Change files with a patch in the '*** Begin Patch' format, all or nothing: '*** Add File:', '*** Update File:' (with '*** Move to:'), '*** Delete File:'. Lines of hunks begin with ' ', '-' or '+' and must match the file exactly; '@@ heading' lines say which class or function they belong to.",
  category: "file",
  annotations: { title: "Apply a patch", dangerous: true },
  examples: [
    {
      arguments: {
        patch:
          "*** Begin Patch\n*** Update File: greet.py\n@@ def greet():\n-    print('hello')\n+    print('good morning')\n*** End Patch",
      },
    },
  ],
  input: z.object({
    patch: z.string().min(1).describe("The patch, from '*** Begin Patch' to '*** End Patch'."),
    cwd: patchFolder,
  }),
  output: diffOutput,
  ...diffMethods(
    ({ patch }: { patch: string; cwd?: string | undefined }) =>
      looksUnified(patch) ? parseUnifiedDiff(patch) : parseBeginPatch(patch),
    ({ cwd }) => cwd,
  ),
  render: renderDiffed,
});

/** A unified diff is clear enough to be applied as one. */
function looksUnified(patch: string): boolean {
  return !isBeginPatch(patch) && /^(diff --git |--- \S.*\r?\n\+\+\+ )/m.test(patch);
}
