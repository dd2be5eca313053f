import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { featureRecord, planId, planIds, planText, planTitle, planWrites, toFeature } from "./fields.js";

/** Writes down what meets requirements. */
export const addFeature = defineTool({
  name: "add_feature",
  description: "Add a feature that meets requirements; these must exist.",
  category: "planning",
  annotations: { title: "Add feature" },
  examples: [
    {
      arguments: {
        id: "FEAT-001",
        title: "Passkey login",
        description: "WebAuthn on the login page.",
        requirement_ids: ["REQ-001"],
      },
    },
  ],
  input: z.object({
    id: planId.describe("Unique id, such as FEAT-001."),
    title: planTitle.describe("One line."),
    description: planText.describe("The whole of it."),
    requirement_ids: planIds.describe("The requirements that it meets."),
  }),
  output: featureRecord,
  resources: planWrites,
  async execute({ requirement_ids: requirementIds, ...feature }, { store }) {
    return toFeature(await store.plan.createFeature({ ...feature, requirementIds }));
  },
  render: ({ id, title, requirementIds }) =>
    `Added ${id}: ${title} (meets ${requirementIds.join(", ") || "none"})`,
});
