import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import { taskStatuses } from "../../contract/ports/plan.js";
import { planId, planWrites, taskRecord, toTask } from "./fields.js";

export const updateTaskStatus = defineTool({
  name: "update_task_status",
  description: "Change the status of a task. The result lists the tasks that became ready because of it.",
  category: "planning",
  annotations: { title: "Update task status", idempotent: true },
  examples: [{ arguments: { id: "TASK-001", status: "done" } }],
  input: z.object({
    id: planId,
    status: z.enum(taskStatuses),
    note: z.string().trim().min(1).max(10_000).optional().describe("The reason, for its history."),
  }),
  output: taskRecord.extend({
    readyNow: z.array(z.string()).describe("Tasks that depend on it and can be started now."),
  }),
  resources: planWrites,
  async execute({ id, status, note }, { store: { plan } }) {
    const task = await plan.setTaskStatus(id, status, note);
    const ready = status === "done" ? await plan.tasks({ ready: true }) : [];
    const readyNow = ready.filter(({ dependsOn }) => dependsOn.includes(id)).map((one) => one.id);
    return { ...toTask(task), readyNow };
  },
  render({ id, status, waitsFor, readyNow }) {
    const blocked =
      status === "in_progress" && waitsFor.length > 0 ? ` It still depends on ${waitsFor.join(", ")}.` : "";
    const next = readyNow.length === 0 ? "" : ` Ready now: ${readyNow.join(", ")}.`;
    return `${id} is ${status}.${blocked}${next}`;
  },
});
