import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { ChangeRecord } from "../../contract/ports/journal.js";
import { touchedPaths, writesOf } from "./judged-paths.js";
import { checkPath } from "./layers.js";

const input = z.object({
  path: z.string().min(1).optional().describe("Only changes of this file."),
  limit: z.number().int().min(1).max(1000).default(20).describe("Maximum number of changes to list."),
  clear: z.boolean().default(false).describe("Clear the history: cleared changes can no longer be undone."),
  paths: touchedPaths,
});

/** Lists the changes that can be undone. */
export const editHistory = defineTool({
  name: "edit_history",
  description: "List the file changes that undo_edit can undo, newest first, or clear this history.",
  category: "file",
  annotations: { title: "Edit history" },
  examples: [{ arguments: {} }, { arguments: { path: "src/index.ts", limit: 5 } }],
  input,
  output: z.object({
    count: z.number().describe("Number of changes that can be undone."),
    changes: z.array(
      z.object({
        callId: z.string(),
        taskId: z.string().optional(),
        tool: z.string(),
        time: z.string(),
        path: z.string(),
        from: z.string().optional(),
        op: z.string(),
        sizeBefore: z.number().nullable(),
        sizeAfter: z.number().nullable(),
      }),
    ),
    cleared: z.number().optional().describe("Number of cleared changes."),
  }),
  // Clearing takes the undo history away from everyone, so it counts as a change of the files.
  resources: (query) => (query.clear ? { writes: writesOf(query) } : {}),
  checkPermissions: async (query, ctx) => {
    const { path, clear } = query;
    if (path !== undefined) checkPath(ctx, path, clear ? "write" : "read");
    if (!clear) return { behavior: "allow" };
    const paths = (await changesOf(ctx.files, path)).map((change) => change.path);
    return { behavior: "allow", updatedInput: { ...query, paths: [...new Set(paths)] } };
  },
  preview: ({ path }) => ({ summary: `Clear the undo history of ${path ?? "all files"}` }),
  execute: (query, { files }) => list(query, files),
  render: ({ count, changes, cleared }) => {
    if (cleared !== undefined) return `Cleared ${cleared} changes.`;
    if (count === 0) return "There are no changes to undo.";
    const lines = changes.map(
      ({ time, path, op, tool, callId, sizeBefore, sizeAfter }) =>
        `${time}  ${op} ${path}  ${sizeBefore ?? "-"} → ${sizeAfter ?? "-"} bytes  (${tool}, call ${callId})`,
    );
    return [`${count} ${count === 1 ? "change" : "changes"} can be undone:`, ...lines].join("\n");
  },
});

const maxChanges = 10_000;

async function list({ path, limit, clear }: z.infer<typeof input>, files: ToolContext["files"]) {
  const undoable = (await changesOf(files, path)).filter(({ undone, op }) => !undone && op !== "undo");
  // Changes that were already undone are cleared, too, but not counted.
  if (clear) await files.clearHistory(path);
  if (clear) return { count: 0, changes: [], cleared: undoable.length };
  return { count: undoable.length, changes: undoable.slice(0, limit).map(toChange) };
}

function changesOf(files: ToolContext["files"], path: string | undefined): Promise<readonly ChangeRecord[]> {
  return files.history({ limit: maxChanges, ...(path !== undefined && { path }) });
}

function toChange({ id: _id, undone: _undone, sessionId: _session, time, ...change }: ChangeRecord) {
  return { ...change, time: new Date(time).toISOString() };
}
