import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { HeldView } from "../../contract/ports/quarantine.js";
import type { ToolPreview } from "../../contract/tool.js";
import { heldItems } from "./held-items.js";

/** The input that names held back changes. */
export const heldInput = z.object({
  call_id: z.string().min(1).max(200).describe("As the first line of the command's result names it."),
  paths: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(1000)
    .optional()
    .describe("Only these of the paths that were held back. @default all of the call"),
});

/** Make the tool that lets held back changes through, with a person's consent. */
export function createCommitResult() {
  /** What a person was shown, by call: nothing else is given back, whatever is held back meanwhile. */
  const shown = new Map<string, readonly string[]>();
  return defineTool({
    name: "commit_result",
    description:
      "Ask a person to let through what was held back from a command's changes: settings, hooks and scripts that other programs run later. The person sees the contents.",
    category: "shell",
    annotations: { title: "Let held back changes through", dangerous: true },
    examples: [
      { arguments: { call_id: "call_1" } },
      { description: "One of several", arguments: { call_id: "call_1", paths: [".npmrc"] } },
    ],
    input: heldInput,
    output: z.object({
      callId: z.string(),
      paths: z.array(z.string()).describe("Now in the workspace."),
      left: z.number().describe("How many changes of the call are still held back."),
    }),
    async preview(call, ctx) {
      const views = await heldItems(ctx.processes.quarantine, call);
      if (shown.size > 1000) shown.clear();
      shown.set(
        ctx.callId,
        views.map(({ id }) => id),
      );
      return previewOf(views);
    },
    async execute(call, ctx: ToolContext) {
      const { quarantine } = ctx.processes;
      const ids = shown.get(ctx.callId) ?? (await heldItems(quarantine, call)).map(({ id }) => id);
      shown.delete(ctx.callId);
      const views = await Promise.all(ids.map((id) => quarantine.show(id)));
      await quarantine.restore(ids);
      const left = (await quarantine.list({ callId: call.call_id })).length;
      return { callId: call.call_id, paths: views.map(({ shownPath }) => shownPath), left };
    },
    render: ({ paths, left }) =>
      `Now in the workspace: ${paths.join(", ")}.${left > 0 ? ` ${left} more of this call are still held back.` : ""}`,
  });
}

function previewOf(views: readonly HeldView[]): ToolPreview {
  const count = views.length === 1 ? "a change" : `${views.length} changes`;
  return {
    summary: `Let ${count} through that other programs run or obey later`,
    diff: views.map(({ diff }) => diff).join(""),
    details: {
      paths: views.map(({ shownPath, change, kind, mode, reason, rule }) => ({
        path: shownPath,
        change,
        kind,
        mode: mode.toString(8),
        reason,
        rule,
      })),
    },
  };
}
