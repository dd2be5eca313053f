import type { Reflection } from "../../runtime/tasks/reflect.js";
import { UsageError, withCommonFlags, type AddCommand, type CommonFlags } from "../command-line.js";
import { withTenon } from "../open-tenon.js";
import { toVisibleLine } from "../../text/visible-text.js";
import { writeJson } from "../output.js";

/** `tenon reflect`: look back on a task by its calls in the log. */
export const addReflect: AddCommand = (program, terminal) => {
  withCommonFlags(
    program
      .command("reflect")
      .description("Look back on a task: is it complete, and what its failures teach"),
  )
    .argument("<task>", "the task's id")
    .action((taskId: string, flags: CommonFlags) =>
      withTenon(terminal, flags, async ({ tenon }) => {
        if ((await tenon.task(taskId)) === undefined)
          throw new UsageError(`No call of the task "${taskId}" is on record. See tenon log.`);
        const tasks = await tenon.work.plan.tasks();
        const planTasks = tasks.filter(({ id }) => id === taskId);
        const reflection = await tenon.reflect(taskId, { planTasks });
        if (flags.json === true) writeJson(terminal, { taskId, ...reflection });
        else terminal.stdout.write(describe(reflection));
      }),
    );
};

function describe({ verdict, assessment, lessons, nextFocus }: Reflection): string {
  const lines = [
    `${verdict}: ${assessment}`,
    ...lessons.map((lesson) => `- ${lesson}`),
    ...(nextFocus === undefined ? [] : [`Next: ${nextFocus}`]),
  ];
  return `${lines.map((line) => toVisibleLine(line)).join("\n")}\n`;
}
