import * as z from "zod";
import type { ToolContext } from "../../contract/context.js";
import { defineTool } from "../../contract/define-tool.js";
import type { ToolPreview } from "../../contract/tool.js";
import { bare, covers, heldItems, joinReports, type HeldChanges } from "./held-items.js";

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

const committedResult = z.object({
  callId: z.string(),
  paths: z.array(z.string()).describe("Paths that were applied to the workspace."),
  notApplied: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .optional()
    .describe(
      "Paths that could not be applied: nobody can approve them, or somebody else changed them meanwhile.",
    ),
  left: z.number().describe("How many changes of the call are still not in the workspace."),
});

/** What `commit_result` returns. */
export type CommittedResult = z.infer<typeof committedResult>;

const maxNamed = 5;

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
    output: committedResult,
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
      for (const { layer, paths } of selected)
        reports.push(await layers.commit(layer.id, paths, layer.seenNs));
      const { heldBack, conflicts } = joinReports(reports);
      const wanted = selected.flatMap(({ layer }) => layer.changes.map(({ path }) => path));
      const isWanted = ({ path }: { readonly path: string }): boolean =>
        wanted.some((each) => covers(bare(each), path));
      const notApplied = [...heldBack, ...conflicts]
        .filter(isWanted)
        .map(({ path, reason }) => ({ path, reason }));
      const done = wanted.filter((path) => !notApplied.some((each) => covers(each.path, bare(path))));
      const waiting = await layers.list({ callId: call.call_id });
      const remaining = await Promise.all(waiting.map(({ id }) => layers.show(id)));
      const held = await quarantine.list({ callId: call.call_id });
      const left = held.length + remaining.flatMap(({ changes }) => changes).length;
      return {
        callId: call.call_id,
        paths: [...views.map(({ shownPath }) => shownPath), ...done],
        ...(notApplied.length > 0 && { notApplied }),
        left,
      };
    },
    render: ({ paths, notApplied = [], left }) =>
      [
        paths.length > 0
          ? `Applied to the workspace: ${paths.join(", ")}.`
          : "Nothing was applied to the workspace.",
        ...notApplied.slice(0, maxNamed).map(({ path, reason }) => `Not applied: ${path} (${reason}).`),
        ...(left > 0 ? [`${left} more of this call are not in the workspace.`] : []),
      ].join(" "),
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
      ? `Apply ${count} to files that other programs later run or load as configuration`
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
