import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { fileChangeMethods, type PlannedChange } from "./change-files.js";
import { notText } from "./layer-errors.js";
import { checkPaths, requireTransfer, toMutation, transferInput, type Transfer } from "./transfer.js";

/** Copies a file. */
export const copyFile = defineTool({
  name: "copy_file",
  description: "Copy a file, byte for byte, with its permissions. Can be undone with undo_edit.",
  category: "file",
  annotations: { title: "Copy a file", dangerous: true },
  examples: [{ arguments: { from: "config.example.json", to: "config.json" } }],
  // A copy takes as long as the file is large.
  timeoutMs: 600_000,
  input: transferInput,
  output: z.object({ from: z.string(), to: z.string(), success: z.boolean() }),
  resources: ({ from, to }) => ({ reads: [{ path: from }], writes: [{ path: to }] }),
  ...fileChangeMethods({ check: (copy, ctx) => checkPaths(ctx, copy, "read"), plan: planCopy }),
  render: ({ from, to }) => `Copied ${from} to ${to}.`,
});

async function planCopy(
  copy: Transfer,
  ctx: ToolContext,
): Promise<PlannedChange<{ from: string; to: string; success: boolean }>> {
  const source = await requireTransfer(ctx, copy);
  const { from, to } = copy;
  if (source.stat?.type === "directory") throw notText(from, "is a directory; only files can be copied");
  return {
    mutations: [toMutation("copy", copy, source)],
    preview: { summary: `Copy ${from} (${source.stat?.size ?? 0} bytes) to ${to}` },
    result: { from, to, success: true },
    refresh: () => noteCopy(ctx, copy),
  };
}

/** The session knows the same lines of the copy as of the original. */
async function noteCopy({ files, seen }: ToolContext, { from, to }: Transfer): Promise<void> {
  const known = await seen.load(from);
  const stat = await files.stat(to);
  if (known === undefined || stat === null) return seen.forget(to);
  seen.set(to, { ...known, identity: stat.identity });
}
