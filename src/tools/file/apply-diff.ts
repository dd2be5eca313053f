import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolError, ToolValidationError } from "../../contract/errors.js";
import type { Resource } from "../../contract/resources.js";
import type { FilePatch } from "../../text/file-patch.js";
import { parseUnifiedDiff } from "../../text/parse-diff.js";
import { changeFiles } from "./change-files.js";
import { checkPath } from "./layers.js";
import { noChange } from "./layer-errors.js";
import { planDiff } from "./plan-diff.js";

/** Applies a unified diff. */
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
  input: z.object({ diff: z.string().min(1).describe("The diff in the format of git or diff -u.") }),
  output: z.object({
    files: z.array(
      z.object({
        path: z.string(),
        action: z.enum(["modify", "create", "delete", "rename", "copy"]),
        from: z.string().optional(),
        hunks: z.number(),
        added: z.number().describe("Number of added lines."),
        removed: z.number().describe("Number of removed lines."),
      }),
    ),
    diff: z.string().describe("The diff that was applied."),
  }),
  resources: ({ diff }) => resourcesOf(diff),
  checkPermissions: ({ diff }, ctx) => {
    readDiff(diff, ctx);
    return { behavior: "allow" };
  },
  preview: async ({ diff }, ctx) => (await planDiff(readDiff(diff, ctx), ctx)).preview,
  execute: ({ diff }, ctx) => {
    const patches = readDiff(diff, ctx);
    return changeFiles(ctx, () => planDiff(patches, ctx));
  },
  render: ({ files }) =>
    files
      .map(({ path, action, from, added, removed }) => {
        const source = from === undefined ? "" : ` from ${from}`;
        return `${verbs[action]} ${path}${source} (+${added} -${removed})`;
      })
      .join("\n"),
});

const verbs = { modify: "Edited", create: "Created", delete: "Deleted", rename: "Renamed", copy: "Copied" };

/** Layers 1 and 2 for every file. */
function readDiff(diff: string, ctx: ToolContext): FilePatch[] {
  const patches = parseOrRefuse(diff);
  for (const patch of patches) if (changesNothing(patch)) throw noChange(emptyDiffMessage(patch));
  for (const { kind, oldPath, newPath } of patches) {
    if (oldPath !== undefined) checkPath(ctx, oldPath, kind === "copy" ? "read" : "write");
    if (newPath !== undefined && newPath !== oldPath) checkPath(ctx, newPath);
  }
  return patches;
}

/** An inconsistent or empty diff fails at layer 1. */
function parseOrRefuse(diff: string): FilePatch[] {
  try {
    return parseUnifiedDiff(diff);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { message, code, hint = "Send a unified diff.", details } = error;
    throw new ToolValidationError(message, { code, hint, details: { ...details, errorCode: 1, layer: 1 } });
  }
}

function changesNothing({ kind, hunks, newMode, oldMode }: FilePatch): boolean {
  if (kind !== "modify" || (newMode !== undefined && newMode !== oldMode)) return false;
  return hunks.every(({ lines }) => lines.every(({ sign }) => sign === " "));
}

function emptyDiffMessage({ oldPath }: FilePatch): string {
  return `The diff changes nothing in ${JSON.stringify(oldPath ?? "")}: its hunks have no line that starts with + or -.`;
}

/** An invalid diff has no resources; the tool refuses it in its checks. */
function resourcesOf(diff: string): { reads?: Resource[]; writes?: Resource[] } {
  let patches: FilePatch[];
  try {
    patches = parseUnifiedDiff(diff);
  } catch {
    return {};
  }
  const reads = patches.flatMap(({ kind, oldPath }) =>
    kind === "copy" && oldPath !== undefined ? [oldPath] : [],
  );
  const writes = patches.flatMap(({ kind, oldPath, newPath }) => [
    ...(oldPath === undefined || kind === "copy" ? [] : [oldPath]),
    ...(newPath === undefined ? [] : [newPath]),
  ]);
  const toPaths = (names: readonly string[]): Resource[] => [...new Set(names)].map((path) => ({ path }));
  return { reads: toPaths(reads), writes: toPaths(writes) };
}
