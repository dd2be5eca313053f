import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { artifactNames } from "../../contract/ports/artifacts.js";
import { stages } from "../../contract/ports/pipeline.js";

export const completeStage = defineTool({
  name: "complete_stage",
  description: "Mark the current stage of the pipeline as done and move on to the next one.",
  category: "control",
  annotations: { title: "Complete stage" },
  examples: [{ arguments: { stage_name: "idea", summary: "The idea is written down and approved." } }],
  input: z.object({
    stage_name: z
      .enum(stages)
      .optional()
      .describe("The stage to complete; the call fails if the pipeline is at another stage."),
    summary: z.string().trim().min(1).max(10_000).optional().describe("The result of the stage."),
  }),
  output: z.object({
    success: z.boolean(),
    message: z.string(),
    completed: z.enum(stages),
    stage: z
      .enum(stages)
      .nullable()
      .describe("The stage that the pipeline is at now; null when all are done."),
    iterationId: z.string(),
    documentMissing: z.boolean().describe("Whether no document was saved for the completed stage."),
  }),
  resources: () => ({ writes: [{ lock: "pipeline" }], reads: [{ lock: "artifacts" }] }),
  async execute({ stage_name: stage, summary }, { store }) {
    const { from, to, iterationId } = await store.pipeline.complete({ stage, summary });
    const completed = from ?? "delivery";
    const message =
      to === null
        ? `Completed ${completed}: all stages are done`
        : `Completed ${completed}, now in ${to} stage`;
    const document = artifactNames.find((name) => name === completed);
    const versions = document === undefined ? undefined : await store.artifacts.versions({ name: document });
    return {
      success: true,
      message,
      completed,
      stage: to,
      iterationId,
      documentMissing: versions?.length === 0,
    };
  },
  render: ({ message, documentMissing, completed }) =>
    documentMissing ? `${message}. No ${completed} document was saved.` : `${message}.`,
});
