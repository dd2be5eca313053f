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

/** Changes a task. */
export const updateTask = defineTool({
  name: "update_task",
  description:
    "Change a task; what is left out stays. Every change is kept in its history. Its state is changed by update_task_status.",
  category: "planning",
  annotations: { title: "Update task", idempotent: true },
  examples: [{ arguments: { id: "TASK-002", depends_on: [] } }],
  input: z.object({
    id: planId,
    title: planTitle.optional(),
    description: planText.optional(),
    feature_id: planId.nullable().optional().describe("null takes it out of its feature."),
    depends_on: planIds.optional().describe("All tasks that must be done before, from now on."),
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
