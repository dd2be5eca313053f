import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolValidationError } from "../../contract/errors.js";
import type { ChangeSelector } from "../../contract/ports/journal.js";
import { carrySeen, rememberBefore } from "./carry-seen.js";
import { requireJudged, touchedPaths, writesOf } from "./judged-paths.js";
import { checkPath } from "./layers.js";

const input = z.object({
  path: z.string().min(1).optional().describe("Undo the last change of this file."),
  call_id: z.string().min(1).optional().describe("Undo all that this call changed."),
  task_id: z.string().min(1).optional().describe("Undo all that this task changed."),
  paths: touchedPaths,
});

type Wish = z.infer<typeof input>;

/** Takes changes of files back. */
export const undoEdit = defineTool({
  name: "undo_edit",
  description:
    "Take back the last change of a file, all changes of a call or of a task, or, without arguments, the last change of this session. Refused where someone changed the files since.",
  category: "file",
  annotations: { title: "Undo an edit", dangerous: true },
  examples: [{ arguments: { path: "src/index.ts" } }, { arguments: {} }],
  input,
  output: z.object({
    files: z.array(
      z.object({ path: z.string(), restoredContentLen: z.number(), previousContentLen: z.number() }),
    ),
    path: z.string().describe("The first of the files."),
    restoredContentLen: z.number().describe("Bytes that it has now; 0 where it is gone."),
    previousContentLen: z.number().describe("Bytes that it had before the undo."),
    diff: z.string(),
  }),
  resources: (wish) => ({ writes: writesOf(wish) }),
  // Which files a call or a task touched only the journal knows: they are looked up and judged like any.
  checkPermissions: async (wish, ctx) => {
    if (wish.path !== undefined) checkPath(ctx, wish.path);
    const paths = await ctx.files.touchedBy(toSelector(wish));
    for (const path of paths) checkPath(ctx, path);
    return { behavior: "allow", updatedInput: { ...wish, paths: [...paths] } };
  },
  preview: async (wish, { files }) => {
    const { files: touched, diff } = await files.previewUndo(toSelector(wish));
    const names = touched.map(({ path }) => path);
    return { summary: `Undo the last change of ${names.join(", ")}`, diff, details: { files: touched } };
  },
  execute: (wish, ctx) => undo(wish, ctx),
  render: ({ files, diff }) => {
    const lines = files.map(
      ({ path, restoredContentLen, previousContentLen }) =>
        `Restored ${path}: ${previousContentLen} bytes became ${restoredContentLen}.`,
    );
    return [...lines, ...(diff === "" ? [] : [diff.trimEnd()])].join("\n");
  },
});

async function undo(wish: Wish, ctx: ToolContext) {
  const what = toSelector(wish);
  const preview = await ctx.files.previewUndo(what);
  requireJudged(preview.files, wish);
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

function toSelector({ path, call_id: callId, task_id: taskId }: Wish): ChangeSelector | undefined {
  const given = [path, callId, taskId].filter((each) => each !== undefined);
  if (given.length > 1) {
    throw new ToolValidationError("Give only one of path, call_id and task_id.", {
      code: "VALUE_INVALID",
      hint: "Leave the others out.",
    });
  }
  if (path !== undefined) return { path };
  if (callId !== undefined) return { callId };
  return taskId === undefined ? undefined : { taskId };
}
