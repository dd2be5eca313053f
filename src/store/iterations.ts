import { ToolValidationError } from "../contract/errors.js";
import type { Clock } from "../contract/ports/clock.js";
import { stages, type Iteration, type Stage } from "../contract/ports/pipeline.js";
import { givenIterationsKey } from "./archive/given-numbers.js";
import { createInsert } from "./insert-rows.js";
import type { Sql, SqlDatabase } from "./sql.js";
import { refuseBeyond, type StateLimits } from "./state-limits.js";
import type { WorkScope } from "./work-scope.js";

/** An iteration with the number that rows refer to it by. */
export interface NumberedIteration extends Iteration {
  readonly number: number;
}

/** The iterations of a workspace. They are never removed, so what is known of their numbers stays true. */
export interface Iterations {
  /** The number of the session's iteration; the first need of one makes it. */
  numberFor(scope: WorkScope): Promise<number>;
  /** The session's iteration as it is now. */
  openFor(scope: WorkScope): Promise<NumberedIteration>;
  /** The same, or `undefined` where nothing has needed one yet. */
  peekFor(scope: WorkScope): Promise<NumberedIteration | undefined>;
  find(id: string): Promise<NumberedIteration | undefined>;
  newest(): Promise<NumberedIteration | undefined>;
  list(): Promise<readonly NumberedIteration[]>;
  start(scope: WorkScope, name: string | undefined): Promise<NumberedIteration>;
}

export function createIterations(database: SqlDatabase, clock: Clock, limits: StateLimits): Iterations {
  const numbers = new Map<string, number>();
  const known = (iteration: NumberedIteration): NumberedIteration => {
    numbers.set(iteration.id, iteration.number);
    return iteration;
  };
  const one = async (sql: Sql, where: string, parameters: readonly string[] = []) => {
    const row = await sql.get<IterationRow>(`${selectSql} ${where}`, parameters);
    return row && known(fromRow(row));
  };
  const newest = (sql: Sql): Promise<NumberedIteration | undefined> =>
    one(sql, "ORDER BY number DESC LIMIT 1");
  const find = (sql: Sql, id: string): Promise<NumberedIteration | undefined> =>
    one(sql, "WHERE id = ?", [id]);
  const peek = (sql: Sql, id: string | undefined): Promise<NumberedIteration | undefined> =>
    id === undefined ? newest(sql) : find(sql, id);
  const open = async (scope: WorkScope): Promise<NumberedIteration> => {
    const id = scope.iterationTracker.id;
    const iteration =
      (await peek(database, id)) ??
      (await database.transaction(
        async (tx) => (await peek(tx, id)) ?? create(tx, { scope, clock, limits, id }),
      ));
    scope.iterationTracker.enter(iteration.id, false);
    return known(iteration);
  };
  return {
    async numberFor(scope) {
      const id = scope.iterationTracker.id;
      return (id === undefined ? undefined : numbers.get(id)) ?? (await open(scope)).number;
    },
    openFor: open,
    peekFor: (scope) => peek(database, scope.iterationTracker.id),
    find: (id) => find(database, id),
    newest: () => newest(database),
    list: async () =>
      (await database.all<IterationRow>(`${selectSql} ORDER BY number DESC`)).map((row) => fromRow(row)),
    async start(scope, name) {
      const iteration = await database.transaction((tx) => create(tx, { scope, clock, limits, name }));
      scope.iterationTracker.enter(iteration.id, true);
      return known(iteration);
    },
  };
}

interface IterationRow {
  number: number;
  id: string;
  name: string;
  stage: string | null;
  created_at: number;
}

const selectSql = "SELECT number, id, name, stage, created_at FROM iterations";

function fromRow(row: IterationRow): NumberedIteration {
  return {
    number: row.number,
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    stage: row.stage as Stage | null,
  };
}

interface Creation {
  readonly scope: WorkScope;
  readonly clock: Clock;
  readonly limits: StateLimits;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

// A restore takes iterations away whose ids were given out.
const lastNumberSql = `SELECT max(number) AS number FROM (SELECT number FROM iterations
  UNION ALL SELECT CAST(value AS BIGINT) FROM meta WHERE key = '${givenIterationsKey}') AS given`;

async function create(tx: Sql, creation: Creation): Promise<NumberedIteration> {
  const { scope, clock, limits, id: wanted, name } = creation;
  await refuseBeyond(tx, { table: "iterations", setting: "maxIterations", max: limits.maxIterations });
  if (wanted !== undefined) checkId(wanted);
  const { agent, sessionId, callId } = scope.actor;
  const [first] = stages;
  const last = await tx.get<{ number: number | null }>(lastNumberSql);
  const number = (last?.number ?? 0) + 1;
  const id = wanted ?? (await freeId(tx, number));
  const now = clock.now();
  const iteration = { number, id, name: name ?? id, createdAt: now, stage: first };
  await tx.run(
    `INSERT INTO iterations (number, id, name, stage, created_at, agent, session_id) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [number, id, iteration.name, first, now, agent, sessionId],
  );
  await insertStages(
    tx,
    stages.map((stage) => [number, stage, stage === first ? "active" : "pending"]),
  );
  await tx.run(
    `INSERT INTO pipeline_history (iteration, at, agent, session_id, call_id, what) VALUES (?, ?, ?, ?, ?, ?)`,
    [number, now, agent, sessionId, callId ?? null, "started"],
  );
  return iteration;
}

const insertStages = createInsert({ table: "stage_states", columns: ["iteration", "stage", "state"] });

/** A session may have used this name for one of its own. */
async function freeId(tx: Sql, number: number): Promise<string> {
  for (let n = number; ; n += 1) {
    const id = `iteration-${n}`;
    if ((await tx.get("SELECT 1 AS one FROM iterations WHERE id = ?", [id])) === undefined) return id;
  }
}

/** The name is also used for a folder. */
function checkId(id: string): void {
  if (/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]{0,99}$/u.test(id) && !id.endsWith(".")) return;
  throw new ToolValidationError(`The iteration id ${JSON.stringify(id.slice(0, 120))} cannot be used.`, {
    code: "VALUE_INVALID",
    hint: "Use 1 to 100 letters, digits, '.', '_' or '-', beginning with a letter or digit.",
  });
}
