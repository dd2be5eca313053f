import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { changeFiles, type PlannedChange } from "./change-files.js";
import { notText } from "./layer-errors.js";
import { checkPaths, requireTransfer, toMutation, transferInput, type Transfer } from "./transfer.js";

/** Copies a file. */
export const copyFile = defineTool({
  name: "copy_file",
  description: "Copy a file, byte for byte and with its mode; undo_edit takes it back.",
  category: "file",
  annotations: { title: "Copy a file", dangerous: true },
  examples: [{ arguments: { from: "config.example.json", to: "config.json" } }],
  input: transferInput,
  output: z.object({ from: z.string(), to: z.string(), success: z.boolean() }),
  resources: ({ from, to }) => ({ reads: [{ path: from }], writes: [{ path: to }] }),
  checkPermissions: (copy, ctx) => {
    checkPaths(ctx, copy, "read");
    return { behavior: "allow" };
  },
  preview: async (copy, ctx) => {
    checkPaths(ctx, copy, "read");
    return (await planCopy(copy, ctx)).preview;
  },
  execute: (copy, ctx) => {
    checkPaths(ctx, copy, "read");
    return changeFiles(ctx, () => planCopy(copy, ctx));
  },
  render: ({ from, to }) => `Copied ${from} to ${to}.`,
});

async function planCopy(
  copy: Transfer,
  ctx: ToolContext,
): Promise<PlannedChange<{ from: string; to: string; success: boolean }>> {
  const source = await requireTransfer(ctx, copy);
  const { from, to } = copy;
  if (source.stat?.type === "directory") throw notText(from, "is a directory, of which no copy is made,");
  return {
    mutations: [toMutation("copy", copy, source)],
    preview: { summary: `Copy ${from} (${source.stat?.size ?? 0} bytes) to ${to}` },
    result: { from, to, success: true },
    refresh: () => noteCopy(ctx, copy),
  };
}

/** What is known of a file is known of its copy. */
async function noteCopy({ files, seen }: ToolContext, { from, to }: Transfer): Promise<void> {
  await seen.load(from);
  const known = seen.get(from);
  const stat = await files.stat(to);
  if (known === undefined || stat === null) return seen.forget(to);
  seen.set(to, { ...known, identity: stat.identity });
}
