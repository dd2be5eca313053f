import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

/** Asks the user to confirm that a stage is finished. */
export const requestConfirmation = defineTool({
  name: "request_confirmation",
  description: "Ask the user to confirm that a stage is done and the work may continue.",
  category: "interaction",
  annotations: { title: "Ask for confirmation" },
  timeoutMs: null,
  input: z.object({
    stage_name: z.string().min(1).max(200).describe("The stage that is done."),
    message: z.string().min(1).max(10_000).describe("What the user should check."),
  }),
  output: z.object({ approved: z.boolean(), userResponse: z.string() }),
  async execute({ stage_name, message }, { interact, signal }) {
    const answer = await interact.ask({ kind: "confirm", title: stage_name, message }, signal);
    const approved = answer.approved === true;
    return { approved, userResponse: answer.text ?? (approved ? "yes" : "no") };
  },
  render: ({ approved, userResponse }) => `${approved ? "Approved" : "Not approved"}: ${userResponse}`,
});
