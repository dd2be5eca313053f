import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { ChangeSelector } from "../../contract/ports/journal.js";
import { gitFileRole } from "../../text/git-file.js";
import { carrySeen, rememberBefore } from "./carry-seen.js";
import { requireJudged, touchedPaths, writesOf } from "./judged-paths.js";
import { checkName, checkPath } from "./layers.js";

const input = z.object({
  path: z.string().min(1).optional().describe("Undo the last change of this file."),
  call_id: z.string().min(1).optional().describe("Undo all changes of this call."),
  task_id: z.string().min(1).optional().describe("Undo all changes of this task."),
  paths: touchedPaths,
});

type UndoInput = z.infer<typeof input>;

/** Undoes file changes. */
export const undoEdit = defineTool({
  name: "undo_edit",
  description:
    "Undo the last change of a file, all changes of a call or task, or, without arguments, the last change of this session. Fails if the files were changed since.",
  category: "file",
  annotations: { title: "Undo an edit", dangerous: true },
  examples: [{ arguments: { path: "src/index.ts" } }, { arguments: {} }],
  // A command may have changed as many files as it liked, and each of them is moved back.
  timeoutMs: 600_000,
  input,
  output: z.object({
    files: z.array(
      z.object({ path: z.string(), restoredContentLen: z.number(), previousContentLen: z.number() }),
    ),
    path: z.string().describe("The first of the files."),
    restoredContentLen: z.number().describe("Its current size in bytes; 0 if it no longer exists."),
    previousContentLen: z.number().describe("Its size in bytes before the undo."),
    diff: z.string(),
  }),
  resources: (target) => ({ writes: writesOf(target) }),
  // Only the journal knows which files a call or task touched: they are looked up and checked.
  checkPermissions: async (target, ctx) => {
    if (target.path !== undefined) checkPath(ctx, target.path);
    const touched = await ctx.files.touchedBy(toSelector(target));
    // Git's own files, which commands change, are judged by their contents.
    const paths = touched.filter((path) => gitFileRole(path) === undefined);
    for (const path of paths) if (isWritable(path)) checkName(ctx, path);
    return { behavior: "allow", updatedInput: { ...target, paths: [...paths] } };
  },
  preview: async (target, { files }) => {
    const { files: touched, diff } = await files.previewUndo(toSelector(target));
    const names = touched.map(({ path }) => path);
    return { summary: `Undo the last change of ${names.join(", ")}`, diff, details: { files: touched } };
  },
  execute: (target, ctx) => undo(target, ctx),
  render: ({ files, diff }) => {
    const lines = files.map(
      ({ path, restoredContentLen, previousContentLen }) =>
        `Restored ${path}: ${previousContentLen} bytes became ${restoredContentLen}.`,
    );
    return [...lines, ...(diff === "" ? [] : [diff.trimEnd()])].join("\n");
  },
});

/** Commands create names that no caller can write, with line breaks for example. The journal judges their real paths. */
function isWritable(path: string): boolean {
  return !/\p{Cc}/u.test(path);
}

async function undo(target: UndoInput, ctx: ToolContext) {
  const what = toSelector(target);
  const preview = await ctx.files.previewUndo(what);
  requireJudged(preview.files, target);
  const before = await rememberBefore(
    ctx,
    preview.files.map(({ path }) => path),
  );
  await ctx.files.undo(what);
  await carrySeen(ctx, before);
  const { files, diff } = preview;
  const [first] = files;
  return {
    files: files.map((file) => ({ ...file })),
    path: first?.path ?? "",
    restoredContentLen: first?.restoredContentLen ?? 0,
    previousContentLen: first?.previousContentLen ?? 0,
    diff,
  };
}

function toSelector({ path, call_id: callId, task_id: taskId }: UndoInput): ChangeSelector | undefined {
  const given = [path, callId, taskId].filter((each) => each !== undefined);
  if (given.length > 1) {
    throw new ToolValidationError("Only one of path, call_id and task_id may be set.", {
      code: "VALUE_INVALID",
      hint: "Omit the others.",
    });
  }
  if (path !== undefined) return { path };
  if (callId !== undefined) return { callId };
  return taskId === undefined ? undefined : { taskId };
}
