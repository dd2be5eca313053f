import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { stages } from "../../contract/ports/pipeline.js";

export const startIteration = defineTool({
  name: "start_iteration",
  description:
    "Start a new iteration of the pipeline at its first stage; this session works in it from now on. Memories of the project stay visible, memories of earlier iterations do not.",
  category: "control",
  annotations: { title: "Start iteration" },
  examples: [{ arguments: { name: "Login with passkeys" } }],
  input: z.object({
    name: z.string().trim().min(1).max(200).optional().describe("What the iteration is about."),
  }),
  output: z.object({
    success: z.boolean(),
    message: z.string(),
    iterationId: z.string(),
    name: z.string(),
    stage: z.enum(stages),
  }),
  resources: () => ({ writes: [{ lock: "pipeline" }] }),
  async execute({ name }, { store }) {
    const iteration = await store.pipeline.startIteration(name);
    return {
      success: true,
      message: `Started ${iteration.id}`,
      iterationId: iteration.id,
      name: iteration.name,
      stage: iteration.stage ?? stages[0],
    };
  },
  render: ({ message, stage }) => `${message}, in ${stage} stage.`,
});
