import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { HeldView } from "../../contract/ports/quarantine.js";
import type { ToolPreview } from "../../contract/tool.js";
import { heldItems } from "./held-items.js";

/** The input fields that select held back changes. */
export const heldInput = z.object({
  call_id: z.string().min(1).max(200).describe("The call_id from the first line of the command's result."),
  paths: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(1000)
    .optional()
    .describe("Only these of the held back paths. Default: all of the call."),
});

/** Create the tool that applies held back changes with a person's consent. */
export function createCommitResult() {
  /** The changes that a person was shown, by call: only these are applied, even if more are held back later. */
  const shown = new Map<string, readonly string[]>();
  return defineTool({
    name: "commit_result",
    description:
      "Ask a person to approve changes of a command that were held back: settings, hooks and scripts that other programs run later. The person sees their contents.",
    category: "shell",
    annotations: { title: "Approve held back changes", dangerous: true },
    examples: [
      { arguments: { call_id: "call_1" } },
      { description: "One of several", arguments: { call_id: "call_1", paths: [".npmrc"] } },
    ],
    input: heldInput,
    output: z.object({
      callId: z.string(),
      paths: z.array(z.string()).describe("Paths that were applied to the workspace."),
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
      `Applied to the workspace: ${paths.join(", ")}.${left > 0 ? ` ${left} more of this call are still held back.` : ""}`,
  });
}

function previewOf(views: readonly HeldView[]): ToolPreview {
  const count = views.length === 1 ? "a change" : `${views.length} changes`;
  return {
    summary: `Apply ${count} to files that other programs run or obey later`,
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
