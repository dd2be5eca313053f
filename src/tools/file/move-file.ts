import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { fileChangeMethods, type PlannedChange } from "./change-files.js";
import { checkPaths, requireTransfer, toMutation, transferInput, type Transfer } from "./transfer.js";

/** Moves or renames a file, a symbolic link or a directory. */
export const moveFile = defineTool({
  name: "move_file",
  description: "Move or rename a file or directory. Can be undone with undo_edit.",
  category: "file",
  annotations: { title: "Move a file", dangerous: true },
  examples: [{ arguments: { from: "src/old-name.ts", to: "src/new-name.ts" } }],
  input: transferInput,
  output: z.object({ from: z.string(), to: z.string(), success: z.boolean() }),
  resources: ({ from, to }) => ({ writes: [{ tree: from }, { tree: to }] }),
  ...fileChangeMethods({ check: (move, ctx) => checkPaths(ctx, move, "write"), plan: planMove }),
  render: ({ from, to }) => `Moved ${from} to ${to}.`,
});

async function planMove(
  move: Transfer,
  ctx: ToolContext,
): Promise<PlannedChange<{ from: string; to: string; success: boolean }>> {
  const source = await requireTransfer(ctx, move);
  const { from, to } = move;
  return {
    mutations: [toMutation("move", move, source)],
    preview: { summary: `Move the ${source.type} ${from} to ${to}` },
    result: { from, to, success: true },
    refresh: () => moveSeen(ctx, move),
  };
}

/** What was read of the file is known at its new place; the move itself changed its identity. */
async function moveSeen({ files, seen }: ToolContext, { from, to }: Transfer): Promise<void> {
  seen.move(from, to);
  const known = seen.get(to);
  const stat = known === undefined ? null : await files.stat(to);
  if (known !== undefined && stat?.type === "file") seen.set(to, { ...known, identity: stat.identity });
}
