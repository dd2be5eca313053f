import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import {
  planId,
  planIds,
  planText,
  planTitle,
  planWrites,
  requireChange,
  taskRecord,
  toTask,
} from "./fields.js";

export const updateTask = defineTool({
  name: "update_task",
  description:
    "Update a task. Fields that are left out stay as they are. Every change is recorded in its history. Use update_task_status to change its status.",
  category: "planning",
  annotations: { title: "Update task", idempotent: true },
  examples: [{ arguments: { id: "TASK-002", depends_on: [] } }],
  input: z.object({
    id: planId,
    title: planTitle.optional(),
    description: planText.optional(),
    feature_id: planId
      .nullable()
      .optional()
      .describe("The feature that it belongs to; null removes it from its feature."),
    depends_on: planIds.optional().describe("All tasks that must be done first; replaces the current list."),
  }),
  output: taskRecord,
  resources: planWrites,
  async execute({ id, title, description, feature_id: featureId, depends_on: dependsOn }, { store }) {
    requireChange({ title, description, feature_id: featureId, depends_on: dependsOn });
    return toTask(await store.plan.updateTask(id, { title, description, featureId, dependsOn }));
  },
  render: ({ id, title, status, waitsFor }) =>
    `Updated ${id}: ${title} (${status}${waitsFor.length === 0 ? "" : `, waits for ${waitsFor.join(", ")}`})`,
});
