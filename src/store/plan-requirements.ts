import type { PlanStore, Priority, Requirement } from "../contract/ports/plan.js";
import { insertRecord, requireRecord, toPlanRecord, type PlanRow, changeRecord } from "./plan-history.js";
import type { Sql } from "./sql.js";
import type { WorkParts } from "./work-scope.js";

export function createRequirements(
  parts: WorkParts,
): Pick<PlanStore, "createRequirement" | "updateRequirement" | "requirements"> {
  const { database, iterations, scope } = parts;
  return {
    async createRequirement(record) {
      const iteration = await iterations.numberFor(scope);
      return database.transaction(async (tx) => {
        const own = { priority: record.priority };
        await insertRecord(parts, tx, { kind: "requirement", record, iteration, own });
        return loadOne(tx, record.id);
      });
    },
    updateRequirement: (id, { title, description, priority }) =>
      database.transaction(async (tx) => {
        await requireRecord(tx, { kind: "requirement", id });
        const before = await loadOne(tx, id);
        await changeRecord(parts, tx, {
          kind: "requirement",
          id,
          before: { title: before.title, description: before.description, priority: before.priority },
          after: { title, description, priority },
        });
        return loadOne(tx, id);
      }),
    async requirements({ ids, priority, thisIteration } = {}) {
      const own = thisIteration === true ? ((await iterations.peekFor(scope))?.id ?? "") : undefined;
      const rows = await load(database);
      return rows.filter(
        (row) =>
          (ids === undefined || ids.includes(row.id)) &&
          (priority === undefined || row.priority === priority) &&
          (own === undefined || row.iterationId === own),
      );
    },
  };
}

interface RequirementRow extends PlanRow {
  priority: Priority;
}

const selectSql = `SELECT r.id, i.id AS iteration_id, r.title, r.description, r.priority, r.created_at, r.updated_at
  FROM requirements r JOIN iterations i ON i.number = r.iteration`;

async function load(sql: Sql): Promise<Requirement[]> {
  return (await sql.all<RequirementRow>(`${selectSql} ORDER BY r.number`)).map(fromRow);
}

async function loadOne(sql: Sql, id: string): Promise<Requirement> {
  const row = await sql.get<RequirementRow>(`${selectSql} WHERE r.id = ?`, [id]);
  return fromRow(row as RequirementRow); // it was found, or just made, in the same transaction
}

function fromRow(row: RequirementRow): Requirement {
  return { ...toPlanRecord(row), priority: row.priority };
}
