import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { priorities } from "../../contract/ports/plan.js";
import { planId, planText, planTitle, planWrites, requireChange, requirementRecord } from "./fields.js";

export const updateRequirement = defineTool({
  name: "update_requirement",
  description:
    "Update a requirement. Fields that are left out stay as they are. Every change is recorded in its history.",
  category: "planning",
  annotations: { title: "Update requirement", idempotent: true },
  examples: [{ arguments: { id: "REQ-001", priority: "medium" } }],
  input: z.object({
    id: planId,
    title: planTitle.optional(),
    description: planText.optional(),
    priority: z.enum(priorities).optional(),
  }),
  output: requirementRecord,
  resources: planWrites,
  execute({ id, title, description, priority }, { store }) {
    requireChange({ title, description, priority });
    return store.plan.updateRequirement(id, { title, description, priority });
  },
  render: ({ id, title, priority }) => `Updated ${id} (${priority}): ${title}`,
});
