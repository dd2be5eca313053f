import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";

/** Stores feedback on a stage for later stages and for the user. */
export const provideFeedback = defineTool({
  name: "provide_feedback",
  description: "Leave feedback on a stage of the work. It is stored with the workspace.",
  category: "interaction",
  annotations: { title: "Leave feedback" },
  input: z.object({
    stage_name: z.string().min(1).max(200).describe("The stage that the feedback is about."),
    feedback_type: z
      .string()
      .min(1)
      .max(100)
      .describe("The kind of feedback, such as issue, suggestion or praise."),
    feedback: z.string().min(1).max(100_000).describe("The feedback."),
  }),
  output: z.object({
    id: z.string(),
    stageName: z.string(),
    feedbackType: z.string(),
    feedback: z.string(),
    createdAt: z.number().describe("Unix time in milliseconds."),
  }),
  resources: () => ({ writes: [{ lock: "feedback" }] }),
  async execute({ stage_name, feedback_type, feedback }, { store, clock, callId, emit }) {
    const createdAt = clock.now();
    const id = `${createdAt.toString(36)}-${callId}`;
    const entry = { id, stageName: stage_name, feedbackType: feedback_type, feedback, createdAt };
    await store.set(`feedback/${id}`, entry);
    emit({ message: `Feedback on ${stage_name} (${feedback_type}): ${feedback}` });
    return entry;
  },
});
