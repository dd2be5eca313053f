import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { priorities } from "../../contract/ports/plan.js";
import { planFilter, planReads, requirementRecord, withHistory } from "./fields.js";

export const getRequirements = defineTool({
  name: "get_requirements",
  description: "List requirements: all, or by id, priority or iteration.",
  category: "planning",
  annotations: { title: "Get requirements", readOnly: true, idempotent: true },
  examples: [{ arguments: { priority: "high" } }],
  input: z.object({ ...planFilter, priority: z.enum(priorities).optional() }),
  output: z.object({ count: z.number(), requirements: z.array(requirementRecord) }),
  resources: planReads,
  async execute(
    { ids, priority, this_iteration: thisIteration, include_history: wanted },
    { store: { plan } },
  ) {
    const found = await plan.requirements({ ids, priority, thisIteration });
    const requirements = await withHistory(plan, found, { kind: "requirement", wanted });
    return { count: requirements.length, requirements };
  },
  render: ({ requirements }) =>
    requirements.length === 0
      ? "No requirements."
      : requirements.map(({ id, title, priority }) => `- ${id} (${priority}): ${title}`).join("\n"),
});
