import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { featureRecord, planFilter, planId, planReads, toFeature, withHistory } from "./fields.js";

export const getFeatures = defineTool({
  name: "get_features",
  description: "List features: all, or by id, requirement or iteration.",
  category: "planning",
  annotations: { title: "Get features", readOnly: true, idempotent: true },
  examples: [{ arguments: { requirement_id: "REQ-001" } }],
  input: z.object({
    ...planFilter,
    requirement_id: planId.optional().describe("Only features that meet this requirement."),
  }),
  output: z.object({ count: z.number(), features: z.array(featureRecord) }),
  resources: planReads,
  async execute(
    { ids, requirement_id: requirementId, this_iteration: thisIteration, include_history: wanted },
    { store: { plan } },
  ) {
    const found = (await plan.features({ ids, requirementId, thisIteration })).map(toFeature);
    const features = await withHistory(plan, found, { kind: "feature", wanted });
    return { count: features.length, features };
  },
  render: ({ features }) =>
    features.length === 0
      ? "No features."
      : features
          .map(
            ({ id, title, requirementIds }) =>
              `- ${id}: ${title} (meets ${requirementIds.join(", ") || "none"})`,
          )
          .join("\n"),
});
