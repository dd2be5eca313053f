import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { ToolPermissionError } from "../../contract/errors.js";
import { heldInput } from "./commit-result.js";
import { heldItems } from "./held-items.js";

/** Discards changes that were held back from a command of this session. */
export const discardResult = defineTool({
  name: "discard_result",
  description: "Discard changes that were held back from a command of this session.",
  category: "shell",
  annotations: { title: "Discard held back changes" },
  examples: [{ arguments: { call_id: "call_1" } }],
  input: heldInput,
  output: z.object({ callId: z.string(), paths: z.array(z.string()) }),
  async execute(call, { processes: { quarantine }, sessionId }) {
    const views = await heldItems(quarantine, call);
    if (views.some((view) => view.sessionId !== sessionId)) {
      throw new ToolPermissionError("These changes were held back in another session.", {
        code: "ACCESS_DENIED",
        hint: "A person can discard them with `tenon quarantine discard`.",
      });
    }
    await quarantine.discard(views.map(({ id }) => id));
    return { callId: call.call_id, paths: views.map(({ shownPath }) => shownPath) };
  },
  render: ({ paths }) => `Discarded: ${paths.join(", ")}.`,
});
