import type { AuditLog } from "../../contract/ports/audit.js";
import { readTask } from "./read-task.js";
import { reflect } from "./reflect.js";
import type { Tasks } from "./tasks.js";
import type { Tenon } from "../tenon.js";

/** What a Tenon can tell about a task. */
export type TaskMethods = Pick<Tenon, "task" | "reflect">;

/** Make them of the log and of what this process remembers. */
export function taskMethods(parts: { readonly tasks: Tasks; readonly log: AuditLog }): TaskMethods {
  return {
    task: (taskId) => readTask(taskId, parts),
    reflect: async (taskId, options) =>
      reflect((await readTask(taskId, parts)) ?? { actionsDone: [] }, options),
  };
}
