import type { ToolEnvelope } from "../../contract/call.js";

/** The calls of one task, oldest first. */
export interface TaskContext {
  readonly taskId: string;
  readonly actionsDone: readonly ToolEnvelope[];
  /** Results that were dropped because the task has too many. */
  readonly actionsDropped: number;
}

const maxTasks = 1000;
const maxActions = 10_000;

/** Keeps the newest results of the tasks that were last active. */
export class Tasks {
  readonly #tasks = new Map<
    string,
    { taskId: string; actionsDone: ToolEnvelope[]; actionsDropped: number }
  >();

  add(taskId: string, envelope: ToolEnvelope): void {
    const task = this.#tasks.get(taskId) ?? { taskId, actionsDone: [], actionsDropped: 0 };
    // Moved to the end, so that the first key is the task that was idle longest.
    this.#tasks.delete(taskId);
    this.#tasks.set(taskId, task);
    task.actionsDone.push(envelope);
    if (task.actionsDone.length > maxActions) {
      task.actionsDone.shift();
      task.actionsDropped++;
    }
    this.#dropIdle();
  }

  get(taskId: string): TaskContext | undefined {
    return this.#tasks.get(taskId);
  }

  #dropIdle(): void {
    if (this.#tasks.size <= maxTasks) return;
    const idle = this.#tasks.keys().next().value;
    if (idle !== undefined) this.#tasks.delete(idle);
  }
}
