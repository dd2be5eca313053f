import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { featureRecord, planId, planIds, planText, planTitle, planWrites, toFeature } from "./fields.js";

export const addFeature = defineTool({
  name: "add_feature",
  description: "Add a feature that meets existing requirements.",
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
    title: planTitle.describe("A one-line title."),
    description: planText.describe("The full description."),
    requirement_ids: planIds.describe("Ids of the requirements that it meets. They must exist."),
  }),
  output: featureRecord,
  resources: planWrites,
  async execute({ requirement_ids: requirementIds, ...feature }, { store }) {
    return toFeature(await store.plan.createFeature({ ...feature, requirementIds }));
  },
  render: ({ id, title, requirementIds }) =>
    `Added ${id}: ${title} (meets ${requirementIds.join(", ") || "none"})`,
});
