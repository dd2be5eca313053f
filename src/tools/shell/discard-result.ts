import * as z from "zod";
import { heldInput } from "./commit-result.js";
import { defineTool } from "../../contract/define-tool.js";
import { ToolPermissionError } from "../../contract/errors.js";
import { heldItems } from "./held-items.js";

/** Discards changes of a command of this session that are not in the workspace. */
export const discardResult = defineTool({
  name: "discard_result",
  description:
    "Discard the changes of a command of this session that are not in the workspace: held back, in conflict, or of a dry run.",
  category: "shell",
  annotations: { title: "Discard changes of a command" },
  examples: [{ arguments: { call_id: "call_1" } }],
  input: heldInput,
  output: z.object({ callId: z.string(), paths: z.array(z.string()) }),
  async execute(call, { processes, sessionId }) {
    const { views, layers } = await heldItems(processes, call);
    const owners = [...views, ...layers.map(({ layer }) => layer)];
    if (owners.some((owner) => owner.sessionId !== sessionId)) {
      throw new ToolPermissionError("These changes were made in another session.", {
        code: "ACCESS_DENIED",
        hint: "A person can discard them with `tenon quarantine discard` or `tenon layers discard`.",
      });
    }
    if (views.length > 0) await processes.quarantine.discard(views.map(({ id }) => id));
    for (const { layer, paths } of layers) await processes.layers.discard(layer.id, paths);
    const paths = [
      ...views.map(({ shownPath }) => shownPath),
      ...layers.flatMap(({ layer }) => layer.changes.map(({ path }) => path)),
    ];
    return { callId: call.call_id, paths };
  },
  render: ({ paths }) => `Discarded: ${paths.join(", ")}.`,
});
