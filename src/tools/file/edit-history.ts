import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { ChangeRecord } from "../../contract/ports/journal.js";
import { touchedPaths, writesOf } from "./judged-paths.js";
import { checkPath } from "./layers.js";

const input = z.object({
  path: z.string().min(1).optional().describe("Only the changes of this file."),
  limit: z.number().int().min(1).max(1000).default(20).describe("How many changes to list."),
  clear: z.boolean().default(false).describe("Forget them: what is forgotten cannot be undone any more."),
  paths: touchedPaths,
});

/** Lists what can be undone. */
export const editHistory = defineTool({
  name: "edit_history",
  description: "List the changes of files that undo_edit can take back, the newest first; or forget them.",
  category: "file",
  annotations: { title: "Edit history" },
  examples: [{ arguments: {} }, { arguments: { path: "src/index.ts", limit: 5 } }],
  input,
  output: z.object({
    count: z.number().describe("Changes that can be undone."),
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
    cleared: z.number().optional().describe("How many were forgotten."),
  }),
  // What is forgotten is lost to everybody who could have undone it, so that counts as a change of the files.
  resources: (query) => (query.clear ? { writes: writesOf(query) } : {}),
  checkPermissions: async (query, ctx) => {
    const { path, clear } = query;
    if (path !== undefined) checkPath(ctx, path, clear ? "write" : "read");
    if (!clear) return { behavior: "allow" };
    const paths = (await changesOf(ctx.files, path)).map((change) => change.path);
    return { behavior: "allow", updatedInput: { ...query, paths: [...new Set(paths)] } };
  },
  preview: ({ path }) => ({ summary: `Forget how to undo the changes of ${path ?? "all files"}` }),
  execute: (query, { files }) => list(query, files),
  render: ({ count, changes, cleared }) => {
    if (cleared !== undefined) return `Forgot ${cleared} changes.`;
    if (count === 0) return "There is nothing to undo.";
    const lines = changes.map(
      ({ time, path, op, tool, callId, sizeBefore, sizeAfter }) =>
        `${time}  ${op} ${path}  ${sizeBefore ?? "-"} → ${sizeAfter ?? "-"} bytes  (${tool}, call ${callId})`,
    );
    return [`${count} ${count === 1 ? "change" : "changes"} can be undone:`, ...lines].join("\n");
  },
});

const mostChanges = 10_000;

async function list({ path, limit, clear }: z.infer<typeof input>, files: ToolContext["files"]) {
  const standing = (await changesOf(files, path)).filter(({ undone, op }) => !undone && op !== "undo");
  if (clear) return { count: 0, changes: [], cleared: await clearAll(files, path, standing.length) };
  return { count: standing.length, changes: standing.slice(0, limit).map(toChange) };
}

function changesOf(files: ToolContext["files"], path: string | undefined): Promise<readonly ChangeRecord[]> {
  return files.history({ limit: mostChanges, ...(path !== undefined && { path }) });
}

/** What was undone goes too, but is nothing that could have been undone. */
async function clearAll(
  files: ToolContext["files"],
  path: string | undefined,
  standing: number,
): Promise<number> {
  await files.clearHistory(path);
  return standing;
}

function toChange({ id: _id, undone: _undone, time, ...change }: ChangeRecord) {
  return { ...change, time: new Date(time).toISOString() };
}
