import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { taskStatuses, type TaskStatus } from "../../contract/ports/plan.js";
import { planFilter, planId, planReads, taskRecord, toTask, withHistory } from "./fields.js";

export const getTasks = defineTool({
  name: "get_tasks",
  description:
    "List tasks: all, or by id, status, feature or iteration. `ready` lists the tasks that can be started now because everything they depend on is done.",
  category: "planning",
  annotations: { title: "Get tasks", readOnly: true, idempotent: true },
  examples: [{ arguments: { ready: true } }],
  input: z.object({
    ...planFilter,
    status: z.enum(taskStatuses).optional(),
    feature_id: planId.optional().describe("Only tasks of this feature."),
    ready: z.boolean().optional().describe("Only tasks that can (true) or cannot (false) be started now."),
  }),
  output: z.object({
    count: z.number(),
    tasks: z.array(taskRecord),
    ready: z.array(z.string()).describe("Ids of the listed tasks that can be started now."),
  }),
  resources: planReads,
  async execute(
    { ids, status, feature_id: featureId, ready, this_iteration: thisIteration, include_history: wanted },
    { store: { plan } },
  ) {
    const found = (await plan.tasks({ ids, status, featureId, ready, thisIteration })).map(toTask);
    const tasks = await withHistory(plan, found, { kind: "task", wanted });
    return { count: tasks.length, tasks, ready: tasks.filter((task) => task.ready).map(({ id }) => id) };
  },
  render({ tasks, ready }) {
    if (tasks.length === 0) return "No tasks.";
    const lines = tasks.map(({ id, title, status, waitsFor }) => {
      const waits = waitsFor.length === 0 || status !== "pending" ? "" : `, waits for ${waitsFor.join(", ")}`;
      return `${statusSymbols[status]} ${id}: ${title} (${status}${waits})`;
    });
    return [...lines, `Ready now: ${ready.join(", ") || "none"}`].join("\n");
  },
});

const statusSymbols: Readonly<Record<TaskStatus, string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  blocked: "[!]",
  done: "[x]",
  cancelled: "[-]",
};
