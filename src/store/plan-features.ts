import { groupBy } from "../contract/group-by.js";
import type { Feature, PlanStore } from "../contract/ports/plan.js";
import {
  checkReferences,
  insertRecord,
  insertReferences,
  requireRecord,
  toPlanRecord,
  type PlanRow,
  changeRecord,
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
        await insertReferences(tx, record.id, { ...references, after });
        return loadOne(tx, record.id);
      });
    },
    updateFeature: (id, { title, description, requirementIds }) =>
      database.transaction(async (tx) => {
        await requireRecord(tx, { kind: "feature", id });
        const after = requirementIds && (await checkReferences(tx, "requirement", requirementIds));
        const before = await loadOne(tx, id);
        await changeRecord(parts, tx, {
          kind: "feature",
          id,
          before: { title: before.title, description: before.description },
          after: { title, description },
          references: { ...references, before: before.requirementIds, after },
        });
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
  const met = await sql.all<ReferenceRow>(`${referenceSql} ORDER BY feature, seq`);
  const found = groupBy(met, ({ feature }) => feature);
  return rows.map((row) => toFeature(row, found.get(row.id) ?? []));
}

async function loadOne(sql: Sql, id: string): Promise<Feature> {
  const row = (await sql.get<PlanRow>(`${selectSql} WHERE f.id = ?`, [id])) as PlanRow; // known to be there
  return toFeature(row, await sql.all<ReferenceRow>(`${referenceSql} WHERE feature = ? ORDER BY seq`, [id]));
}

function toFeature(row: PlanRow, met: readonly ReferenceRow[]): Feature {
  return { ...toPlanRecord(row), requirementIds: met.map(({ requirement }) => requirement) };
}
