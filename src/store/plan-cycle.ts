import { ToolValidationError } from "../contract/errors.js";
import type { Sql } from "./sql.js";

/** Refuse dependencies that would make a task wait for itself; the circle is printed. */
export async function refuseCycle(tx: Sql, id: string, dependsOn: readonly string[]): Promise<void> {
  const needs = new Map<string, string[]>();
  for (const row of await tx.all<{ task: string; needs: string }>("SELECT task, needs FROM task_needs")) {
    const list = needs.get(row.task);
    if (list === undefined) needs.set(row.task, [row.needs]);
    else list.push(row.needs);
  }
  const way = wayBack(id, dependsOn, needs);
  if (way === undefined) return;
  const circle = [id, ...way].join(" -> ");
  throw new ToolValidationError(`Tasks would wait for each other in a circle: ${circle}.`, {
    code: "PLAN_CYCLE",
    hint: "Take one of these dependencies away first.",
    details: { cycle: [id, ...way] },
  });
}

/** The shortest way from the first dependencies back to the task, itself at the end. */
function wayBack(
  id: string,
  dependsOn: readonly string[],
  needs: ReadonlyMap<string, readonly string[]>,
): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>(dependsOn.map((task) => [task, undefined]));
  // A Map is walked with what is added on the way: breadth first.
  for (const task of cameFrom.keys()) {
    if (task === id) return trail(task, cameFrom);
    for (const next of needs.get(task) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, task);
  }
  return undefined;
}

function trail(end: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] {
  const way: string[] = [];
  for (let at: string | undefined = end; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}
