import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import {
  featureRecord,
  planId,
  planIds,
  planText,
  planTitle,
  planWrites,
  requireChange,
  toFeature,
} from "./fields.js";

export const updateFeature = defineTool({
  name: "update_feature",
  description:
    "Update a feature. Fields that are left out stay as they are. Every change is recorded in its history.",
  category: "planning",
  annotations: { title: "Update feature", idempotent: true },
  examples: [{ arguments: { id: "FEAT-001", requirement_ids: ["REQ-001", "REQ-002"] } }],
  input: z.object({
    id: planId,
    title: planTitle.optional(),
    description: planText.optional(),
    requirement_ids: planIds
      .optional()
      .describe("All requirements that it meets; replaces the current list."),
  }),
  output: featureRecord,
  resources: planWrites,
  async execute({ id, title, description, requirement_ids: requirementIds }, { store }) {
    requireChange({ title, description, requirement_ids: requirementIds });
    return toFeature(await store.plan.updateFeature(id, { title, description, requirementIds }));
  },
  render: ({ id, title, requirementIds }) =>
    `Updated ${id}: ${title} (meets ${requirementIds.join(", ") || "none"})`,
});
