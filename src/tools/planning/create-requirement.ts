import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { priorities } from "../../contract/ports/plan.js";
import { planId, planText, planTitle, planWrites, requirementRecord } from "./fields.js";

export const createRequirement = defineTool({
  name: "create_requirement",
  description: "Create a requirement: what the work must achieve, and its priority.",
  category: "planning",
  annotations: { title: "Create requirement" },
  examples: [
    {
      arguments: {
        id: "REQ-001",
        title: "Sign in without a password",
        description: "People sign in with a passkey.",
        priority: "high",
      },
    },
  ],
  input: z.object({
    id: planId.describe("Unique id, such as REQ-001."),
    title: planTitle.describe("A one-line title."),
    description: planText.describe("The full description."),
    priority: z.enum(priorities),
  }),
  output: requirementRecord,
  resources: planWrites,
  execute: (requirement, { store }) => store.plan.createRequirement(requirement),
  render: ({ id, title, priority }) => `Created ${id} (${priority}): ${title}`,
});
