import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { planId, planIds, planText, planTitle, planWrites, taskRecord, toTask } from "./fields.js";

export const createTask = defineTool({
  name: "create_task",
  description:
    "Create a task, optionally of a feature, that waits for the tasks it depends on. All of these must exist, and dependencies must not form a cycle.",
  category: "planning",
  annotations: { title: "Create task" },
  examples: [
    {
      arguments: {
        id: "TASK-002",
        title: "Verify assertions",
        description: "On the server.",
        feature_id: "FEAT-001",
        depends_on: ["TASK-001"],
      },
    },
  ],
  input: z.object({
    id: planId.describe("Unique id, such as TASK-001."),
    title: planTitle.describe("A one-line title."),
    description: planText.describe("The full description."),
    feature_id: planId.optional().describe("The feature that it belongs to."),
    depends_on: planIds.default([]).describe("Tasks that must be done first."),
  }),
  output: taskRecord,
  resources: planWrites,
  async execute({ feature_id: featureId, depends_on: dependsOn, ...task }, { store }) {
    return toTask(await store.plan.createTask({ ...task, featureId, dependsOn }));
  },
  render: ({ id, title, ready, waitsFor }) =>
    `Created ${id}: ${title} (${ready ? "ready" : `waits for ${waitsFor.join(", ")}`})`,
});
