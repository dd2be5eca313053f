import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { isBeginPatch, parseBeginPatch } from "../../text/parse-begin-patch.js";
import { parseUnifiedDiff } from "../../text/parse-diff.js";
import { diffMethods, diffOutput, renderDiffed } from "./diff-input.js";

/** Applies a unified diff, or a patch in the `*** Begin Patch` format. */
export const applyDiff = defineTool({
  name: "apply_diff",
  description:
    "Apply a unified diff to one or more files, all or nothing: changed, new, deleted and renamed files. The lines of its hunks must have been read before. Line numbers may be wrong, but context must match.",
  category: "file",
  annotations: { title: "Apply a diff", dangerous: true },
  examples: [
    {
      arguments: {
        diff: "--- a/greet.txt\n+++ b/greet.txt\n@@ -1,2 +1,2 @@\n Dear all,\n-hello\n+good morning\n",
      },
    },
  ],
  input: z.object({
    diff: z
      .string()
      .min(1)
      .describe("The diff in the format of git or diff -u. A patch as apply_patch takes it works too."),
  }),
  output: diffOutput,
  ...diffMethods(({ diff }: { diff: string }) =>
    isBeginPatch(diff) ? parseBeginPatch(diff) : parseUnifiedDiff(diff),
  ),
  render: renderDiffed,
});
