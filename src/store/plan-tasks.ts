import { groupBy } from "../contract/group-by.js";
import type { PlanStore, Task, TaskFilter, TaskStatus } from "../contract/ports/plan.js";
import {
  checkReferences,
  insertRecord,
  insertReferences,
  recordChange,
  requireRecord,
  toPlanRecord,
  type PlanRow,
  changeRecord,
} from "./plan-history.js";
import type { Sql } from "./sql.js";
import type { WorkParts } from "./work-scope.js";
import { ToolValidationError } from "../contract/errors.js";

const references = { table: "task_needs", from: "task", to: "needs" } as const;

/** What builds the features, in an order that dependencies give. */
export function createTasks(
  parts: WorkParts,
): Pick<PlanStore, "createTask" | "updateTask" | "setTaskStatus" | "tasks"> {
  const { database, iterations, scope } = parts;
  return {
    async createTask(record) {
      const iteration = await iterations.numberFor(scope);
      return database.transaction(async (tx) => {
        const { featureId, dependsOn = [] } = record;
        if (featureId !== undefined) await requireRecord(tx, { kind: "feature", id: featureId });
        await refuseCycle(tx, record.id, dependsOn);
        const after = await checkReferences(tx, "task", dependsOn);
        const own = { feature: featureId ?? null, status: "pending" };
        await insertRecord(parts, tx, { kind: "task", record, iteration, own });
        await insertReferences(tx, record.id, { ...references, after });
        return loadOne(tx, record.id);
      });
    },
    updateTask: (id, { title, description, featureId, dependsOn }) =>
      database.transaction(async (tx) => {
        await requireRecord(tx, { kind: "task", id });
        if (typeof featureId === "string") await requireRecord(tx, { kind: "feature", id: featureId });
        const after = dependsOn && (await checkReferences(tx, "task", dependsOn));
        if (after !== undefined) await refuseCycle(tx, id, after);
        const before = await loadOne(tx, id);
        await changeRecord(parts, tx, {
          kind: "task",
          id,
          before: { title: before.title, description: before.description, feature: before.featureId ?? null },
          after: { title, description, feature: featureId },
          references: { ...references, before: before.dependsOn, after },
        });
        return loadOne(tx, id);
      }),
    setTaskStatus: (id, status, note) =>
      database.transaction(async (tx) => {
        await requireRecord(tx, { kind: "task", id });
        const before = await loadOne(tx, id);
        if (before.status === status && note === undefined) return before;
        await tx.run("UPDATE tasks SET status = ?, updated_at = ? WHERE id = ?", [
          status,
          parts.clock.now(),
          id,
        ]);
        const what = `status: ${before.status} -> ${status}`;
        await recordChange(parts, tx, { kind: "task", id, what, note });
        return loadOne(tx, id);
      }),
    async tasks(filter = {}) {
      const own = filter.thisIteration === true ? ((await iterations.peekFor(scope))?.id ?? "") : undefined;
      const all = await database.snapshot((tx) => load(tx));
      return all.filter((task) => fits(task, filter) && (own === undefined || task.iterationId === own));
    },
  };
}

function fits(task: Task, { ids, status, featureId, ready }: TaskFilter): boolean {
  return (
    (ids === undefined || ids.includes(task.id)) &&
    (status === undefined || task.status === status) &&
    (featureId === undefined || task.featureId === featureId) &&
    (ready === undefined || task.ready === ready)
  );
}

interface TaskRow extends PlanRow {
  feature: string | null;
  status: TaskStatus;
}

interface NeedRow {
  task: string;
  needs: string;
  status: TaskStatus;
}

const selectSql = `SELECT t.id, i.id AS iteration_id, t.title, t.description, t.feature, t.status,
    t.created_at, t.updated_at
  FROM tasks t JOIN iterations i ON i.number = t.iteration`;
const needsSql = "SELECT n.task, n.needs, t.status FROM task_needs n JOIN tasks t ON t.id = n.needs";

async function load(sql: Sql): Promise<Task[]> {
  const rows = await sql.all<TaskRow>(`${selectSql} ORDER BY t.number`);
  const needs = await sql.all<NeedRow>(`${needsSql} ORDER BY n.task, n.seq`);
  const found = groupBy(needs, ({ task }) => task);
  return rows.map((row) => fromRow(row, found.get(row.id) ?? []));
}

async function loadOne(sql: Sql, id: string): Promise<Task> {
  const row = (await sql.get<TaskRow>(`${selectSql} WHERE t.id = ?`, [id])) as TaskRow; // known to be there
  return fromRow(row, await sql.all<NeedRow>(`${needsSql} WHERE n.task = ? ORDER BY n.seq`, [id]));
}

function fromRow(row: TaskRow, needs: readonly NeedRow[]): Task {
  const waitsFor = needs.filter(({ status }) => status !== "done").map((need) => need.needs);
  return {
    ...toPlanRecord(row),
    status: row.status,
    ...(row.feature !== null && { featureId: row.feature }),
    dependsOn: needs.map((need) => need.needs),
    ready: row.status === "pending" && waitsFor.length === 0,
    waitsFor,
  };
}

/** Refuse dependencies that would make a task wait for itself; the circle is printed. */
async function refuseCycle(tx: Sql, id: string, dependsOn: readonly string[]): Promise<void> {
  const needs = await tx.all<Pick<NeedRow, "task" | "needs">>("SELECT task, needs FROM task_needs");
  const byTask = groupBy(needs, ({ task }) => task);
  const way = wayBack(id, dependsOn, (task) => byTask.get(task)?.map((row) => row.needs) ?? []);
  if (way === undefined) return;
  const circle = [id, ...way].join(" -> ");
  throw new ToolValidationError(`Tasks would wait for each other in a circle: ${circle}.`, {
    code: "PLAN_CYCLE",
    hint: "Remove one of these dependencies first.",
    details: { cycle: [id, ...way] },
  });
}

/** The shortest way from the first dependencies back to the task, itself at the end. */
function wayBack(
  id: string,
  dependsOn: readonly string[],
  needsOf: (task: string) => readonly string[],
): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>(dependsOn.map((task) => [task, undefined]));
  // A Map is walked with what is added on the way: breadth first.
  for (const task of cameFrom.keys()) {
    if (task === id) return trail(task, cameFrom);
    for (const next of needsOf(task)) if (!cameFrom.has(next)) cameFrom.set(next, task);
  }
  return undefined;
}

function trail(end: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] {
  const way: string[] = [];
  for (let at: string | undefined = end; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}
