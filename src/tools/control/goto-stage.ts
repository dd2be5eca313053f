import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { stages } from "../../contract/ports/pipeline.js";

/** Resumes the pipeline from a stage. */
export const gotoStage = defineTool({
  name: "goto_stage",
  description:
    "Resume the pipeline from a stage, for example go back to prd when the requirements change. Later stages that were done become stale.",
  category: "control",
  annotations: { title: "Go to stage" },
  examples: [{ arguments: { stage_name: "prd", reason: "The customer changed the scope." } }],
  input: z.object({
    stage_name: z.enum(stages).describe("The stage to resume from."),
    reason: z.string().trim().min(1).max(10_000).optional().describe("The reason, for the history."),
  }),
  output: z.object({
    success: z.boolean(),
    message: z.string(),
    from: z.enum(stages).nullable().describe("The stage that the pipeline was at; null if all were done."),
    stage: z.enum(stages),
    invalidated: z.array(z.enum(stages)).describe("Later stages that were done and must be reviewed again."),
    iterationId: z.string(),
  }),
  resources: () => ({ writes: [{ lock: "pipeline" }] }),
  async execute({ stage_name: stage, reason }, { store }) {
    const { from, invalidated, iterationId } = await store.pipeline.goto(stage, reason);
    const message = `Will resume from ${stage} stage`;
    return { success: true, message, from, stage, invalidated: [...invalidated], iterationId };
  },
  render: ({ message, invalidated }) =>
    invalidated.length === 0 ? `${message}.` : `${message}. Stale now: ${invalidated.join(", ")}.`,
});
