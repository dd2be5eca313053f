import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

/** Shows the user a text to approve, edit or reject. */
export const reviewWithFeedbackContent = defineTool({
  name: "review_with_feedback_content",
  description: "Show the user a text to review: they approve it, edit it, or reject it with feedback.",
  category: "interaction",
  annotations: { title: "Ask for a review" },
  timeoutMs: null,
  input: z.object({
    title: z.string().min(1).max(500).describe("What the text is."),
    content: z.string().max(1_000_000).describe("The text to review."),
  }),
  output: z.object({
    action: z.enum(["approve", "edit", "reject"]),
    content: z.string().describe("The text, as the user edited it."),
    feedback: z.string(),
  }),
  async execute({ title, content }, { interact, signal }) {
    const answer = await interact.ask({ kind: "review", title, message: title, content }, signal);
    // Only an explicit approval counts: no answer or an unknown one is a rejection.
    const action = answer.action ?? "reject";
    return {
      action,
      content: action === "edit" ? (answer.content ?? content) : content,
      feedback: answer.feedback ?? "",
    };
  },
});
