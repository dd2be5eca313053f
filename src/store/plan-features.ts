import type { Feature, PlanStore } from "../contract/ports/plan.js";
import {
  checkReferences,
  insertRecord,
  insertReferences,
  recordChange,
  requireRecord,
  toPlanRecord,
  updateColumns,
  updateReferences,
  type PlanRow,
} from "./plan-history.js";
import type { Sql } from "./sql.js";
import type { WorkParts } from "./work-scope.js";

const references = { table: "feature_requirements", from: "feature", to: "requirement" } as const;

/** What meets the requirements. */
export function createFeatures(
  parts: WorkParts,
): Pick<PlanStore, "createFeature" | "updateFeature" | "features"> {
  const { database, iterations, scope } = parts;
  return {
    async createFeature(record) {
      const iteration = await iterations.numberFor(scope);
      return database.transaction(async (tx) => {
        const after = await checkReferences(tx, "requirement", record.requirementIds);
        await insertRecord(parts, tx, { kind: "feature", record, iteration, own: {} });
        await insertReferences(tx, { ...references, id: record.id, after });
        return loadOne(tx, record.id);
      });
    },
    updateFeature: (id, { title, description, requirementIds }) =>
      database.transaction(async (tx) => {
        await requireRecord(tx, { kind: "feature", id });
        const after = requirementIds && (await checkReferences(tx, "requirement", requirementIds));
        const before = await loadOne(tx, id);
        const changes = [
          ...(await updateColumns(parts, tx, {
            kind: "feature",
            id,
            before: { title: before.title, description: before.description },
            after: { title, description },
          })),
          ...(await updateReferences(tx, { ...references, id, before: before.requirementIds, after })),
        ];
        if (changes.length === 0) return before;
        await tx.run("UPDATE features SET updated_at = ? WHERE id = ?", [parts.clock.now(), id]);
        await recordChange(parts, tx, { kind: "feature", id, what: changes.join("; ") });
        return loadOne(tx, id);
      }),
    async features({ ids, requirementId, thisIteration } = {}) {
      const own = thisIteration === true ? ((await iterations.peekFor(scope))?.id ?? "") : undefined;
      const all = await database.snapshot((tx) => load(tx));
      return all.filter(
        (feature) =>
          (ids === undefined || ids.includes(feature.id)) &&
          (requirementId === undefined || feature.requirementIds.includes(requirementId)) &&
          (own === undefined || feature.iterationId === own),
      );
    },
  };
}

const selectSql = `SELECT f.id, i.id AS iteration_id, f.title, f.description, f.created_at, f.updated_at
  FROM features f JOIN iterations i ON i.number = f.iteration`;
const referenceSql = "SELECT feature, requirement FROM feature_requirements";

interface ReferenceRow {
  feature: string;
  requirement: string;
}

async function load(sql: Sql): Promise<Feature[]> {
  const rows = await sql.all<PlanRow>(`${selectSql} ORDER BY f.number`);
  const found = new Map<string, string[]>();
  for (const { feature, requirement } of await sql.all<ReferenceRow>(
    `${referenceSql} ORDER BY feature, seq`,
  )) {
    const list = found.get(feature);
    if (list === undefined) found.set(feature, [requirement]);
    else list.push(requirement);
  }
  return rows.map((row) => ({ ...toPlanRecord(row), requirementIds: found.get(row.id) ?? [] }));
}

async function loadOne(sql: Sql, id: string): Promise<Feature> {
  const row = (await sql.get<PlanRow>(`${selectSql} WHERE f.id = ?`, [id])) as PlanRow; // known to be there
  const rows = await sql.all<ReferenceRow>(`${referenceSql} WHERE feature = ? ORDER BY seq`, [id]);
  return { ...toPlanRecord(row), requirementIds: rows.map(({ requirement }) => requirement) };
}
