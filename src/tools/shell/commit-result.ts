import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { ToolPreview } from "../../contract/tool.js";
import { heldItems, joinReports, type HeldChanges } from "./held-items.js";

/** The input fields that select changes that are not in the workspace. */
export const heldInput = z.object({
  call_id: z.string().min(1).max(200).describe("The call_id from the first line of the command's result."),
  paths: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(1000)
    .optional()
    .describe("Only these of the changed paths. Default: all of the call."),
});

/** Create the tool that applies changes of a command with a person's consent. */
export function createCommitResult() {
  /** The changes that a person was shown, by call: only these are applied, even if more are held back later. */
  const shown = new Map<string, HeldChanges>();
  return defineTool({
    name: "commit_result",
    description:
      "Ask a person to approve changes of a command that are not in the workspace: held back, in conflict with others, of a dry run, or of a command that was stopped. The person sees their contents.",
    category: "shell",
    annotations: { title: "Commit changes of a command", dangerous: true },
    examples: [
      { arguments: { call_id: "call_1" } },
      { description: "One of several", arguments: { call_id: "call_1", paths: [".npmrc"] } },
    ],
    input: heldInput,
    output: z.object({
      callId: z.string(),
      paths: z.array(z.string()).describe("Paths that were applied to the workspace."),
      left: z.number().describe("How many changes of the call are still not in the workspace."),
    }),
    async preview(call, ctx) {
      const held = await heldItems(ctx.processes, call);
      if (shown.size > 1000) shown.clear();
      shown.set(ctx.callId, held);
      return previewOf(held);
    },
    async execute(call, ctx: ToolContext) {
      const { quarantine, layers } = ctx.processes;
      const { views, layers: selected } = shown.get(ctx.callId) ?? (await heldItems(ctx.processes, call));
      shown.delete(ctx.callId);
      const ids = views.map(({ id }) => id);
      if (ids.length > 0) await quarantine.restore(ids);
      const reports = [];
      for (const { layer, paths } of selected) reports.push(await layers.commit(layer.id, paths));
      const { heldBack, conflicts } = joinReports(reports);
      const notDone = new Set([...heldBack, ...conflicts].map(({ path }) => path));
      const done = selected.flatMap(({ layer }) => layer.changes.map(({ path }) => path));
      const waiting = await layers.list({ callId: call.call_id });
      const remaining = await Promise.all(waiting.map(({ id }) => layers.show(id)));
      const held = await quarantine.list({ callId: call.call_id });
      const left = held.length + remaining.flatMap(({ changes }) => changes).length;
      return {
        callId: call.call_id,
        paths: [...views.map(({ shownPath }) => shownPath), ...done.filter((path) => !notDone.has(path))],
        left,
      };
    },
    render: ({ paths, left }) =>
      `Applied to the workspace: ${paths.join(", ")}.${left > 0 ? ` ${left} more of this call are not in the workspace.` : ""}`,
  });
}

function previewOf({ views, layers }: HeldChanges): ToolPreview {
  const changes = layers.flatMap(({ layer }) => layer.changes);
  const total = views.length + changes.length;
  const count = total === 1 ? "a change" : `${total} changes`;
  const risky =
    views.length > 0 || changes.some(({ reason, conflict }) => reason !== undefined && conflict !== true);
  return {
    summary: risky
      ? `Apply ${count} to files that other programs run or obey later`
      : `Apply ${count} of a command`,
    diff: [...views.map(({ diff }) => diff), ...layers.map(({ layer }) => layer.diff)].join(""),
    details: {
      ...(layers[0] !== undefined && { line: layers[0].layer.command }),
      paths: [
        ...views.map(({ shownPath, change, kind, mode, reason, rule }) => ({
          path: shownPath,
          change,
          kind,
          mode: mode.toString(8),
          reason,
          rule,
        })),
        ...changes.map(({ path, kind, reason, rule, files }) => ({
          path,
          change: kind,
          ...(reason !== undefined && { reason }),
          ...(rule !== undefined && { rule }),
          ...(files !== undefined && { files }),
        })),
      ],
    },
  };
}
