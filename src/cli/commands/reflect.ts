import { ToolResourceNotFoundError } from "../../contract/errors.js";
import type { Reflection } from "../../runtime/tasks/reflect.js";
import { type AddCommand, type CommonFlags, addCommand } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { writeResult } from "../output.js";

/** `tenon reflect`: review a task by its calls in the log. */
export const addReflect: AddCommand = (program, terminal) => {
  addCommand(program, "reflect", "Review a task: whether it is complete, and lessons from its failures")
    .argument("<task>", "task id")
    .action((taskId: string, flags: CommonFlags) =>
      withTenon(terminal, flags, async (open) => {
        const { tenon } = open;
        if ((await tenon.task(taskId)) === undefined)
          throw new ToolResourceNotFoundError(`Task "${taskId}" not found in the log.`, {
            hint: "tenon log --json shows the taskId of each call that was made with one.",
          });
        const tasks = await tenon.work.plan.tasks();
        const planTasks = tasks.filter(({ id }) => id === taskId);
        const reflection = await tenon.reflect(taskId, { planTasks });
        writeResult(open, { taskId, ...reflection }, () => describe(reflection));
      }),
    );
};

function describe({ verdict, assessment, lessons, nextFocus }: Reflection): string {
  const lines = [
    `${verdict}: ${assessment}`,
    ...lessons.map((lesson) => `- ${lesson}`),
    ...(nextFocus === undefined ? [] : [`Next: ${nextFocus}`]),
  ];
  return lines.map((line) => toVisibleLine(line)).join("\n");
}
