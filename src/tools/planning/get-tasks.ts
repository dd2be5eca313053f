import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { taskStatuses, type TaskStatus } from "../../contract/ports/plan.js";
import { planFilter, planId, planReads, taskRecord, toTask, withHistory } from "./fields.js";

/** Tells what is to be done, and what can be begun. */
export const getTasks = defineTool({
  name: "get_tasks",
  description:
    "List tasks: all, or by id, state, feature or iteration; `ready` names those that can be begun now, because all they depend on is done.",
  category: "planning",
  annotations: { title: "Get tasks", readOnly: true, idempotent: true },
  examples: [{ arguments: { ready: true } }],
  input: z.object({
    ...planFilter,
    status: z.enum(taskStatuses).optional(),
    feature_id: planId.optional().describe("Those of one feature."),
    ready: z.boolean().optional().describe("Only those that can, or cannot, be begun now."),
  }),
  output: z.object({
    count: z.number(),
    tasks: z.array(taskRecord),
    ready: z.array(z.string()).describe("Ids of the listed tasks that can be begun now."),
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
      return `${marks[status]} ${id}: ${title} (${status}${waits})`;
    });
    return [...lines, `Ready now: ${ready.join(", ") || "none"}`].join("\n");
  },
});

const marks: Readonly<Record<TaskStatus, string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  blocked: "[!]",
  done: "[x]",
  cancelled: "[-]",
};
