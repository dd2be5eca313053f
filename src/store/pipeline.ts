import { ToolValidationError } from "../contract/errors.js";
import type { RecordedChange } from "../contract/ports/actor.js";
import {
  stages,
  type Iteration,
  type PipelineStatus,
  type PipelineStore,
  type Stage,
  type StageMove,
  type StageState,
  type StageStatus,
} from "../contract/ports/pipeline.js";
import type { NumberedIteration } from "./iterations.js";
import { toRecorded, type ChangeRow } from "./recorded-change.js";
import type { Sql } from "./sql.js";
import type { WorkParts } from "./work-scope.js";

/** The current stage of the session's iteration, and how it was reached. */
export function createPipeline(parts: WorkParts): PipelineStore {
  const { database, iterations, scope } = parts;
  /** The stage is read again inside: another session may have moved it. */
  const move = async (work: (at: Standing) => Promise<StageMove>): Promise<StageMove> => {
    const number = await iterations.numberFor(scope);
    return database.transaction(async (tx) => work(await standing(parts, tx, number)));
  };
  return {
    iteration: async () => bare(await iterations.openFor(scope)),
    peek: async () => {
      const found = await iterations.peekFor(scope);
      return found && bare(found);
    },
    startIteration: async (name) => bare(await iterations.start(scope, name)),
    iterations: async () => (await iterations.list()).map(bare),
    status: async () => {
      const found = await iterations.peekFor(scope);
      return found && statusOf(database, found);
    },
    goto: (stage, reason) => move((at) => goTo(at, stage, reason)),
    complete: (options = {}) => move((at) => complete(at, options)),
  };
}

function bare({ id, name, createdAt, stage }: NumberedIteration): Iteration {
  return { id, name, createdAt, stage };
}

interface Standing {
  readonly parts: WorkParts;
  readonly tx: Sql;
  readonly number: number;
  readonly id: string;
  readonly stage: Stage | null;
}

async function standing(parts: WorkParts, tx: Sql, number: number): Promise<Standing> {
  const sql = "SELECT id, stage FROM iterations WHERE number = ?";
  const row = await tx.get<{ id: string; stage: Stage | null }>(sql, [number]);
  return { parts, tx, number, id: row?.id ?? "", stage: row?.stage ?? null };
}

async function goTo(at: Standing, stage: Stage, reason?: string): Promise<StageMove> {
  const later = stages.slice(stages.indexOf(stage) + 1);
  const states = await stageRows(at.tx, at.number);
  const done = states.filter((row) => later.includes(row.stage) && row.state === "done");
  for (const row of done) await setState(at, row.stage, "stale");
  if (at.stage !== null && at.stage !== stage) await leave(at, at.stage, { later, states });
  await setState(at, stage, "active");
  const invalidated = done.map((row) => row.stage);
  const stale = invalidated.length === 0 ? "" : `; stale: ${invalidated.join(", ")}`;
  await arrive(at, stage, { what: `${at.stage ?? "end"} -> ${stage}${stale}`, note: reason });
  return { iterationId: at.id, from: at.stage, to: stage, invalidated };
}

/** What was under way ahead of the target was begun on what is now open again. */
async function leave(
  at: Standing,
  stage: Stage,
  { later, states }: { readonly later: readonly Stage[]; readonly states: readonly StageRow[] },
): Promise<void> {
  const wasDone = states.find((row) => row.stage === stage)?.completed_at !== null;
  await setState(at, stage, wasDone && later.includes(stage) ? "stale" : "pending");
}

async function complete(
  at: Standing,
  { stage: expected, summary }: { readonly stage?: Stage | undefined; readonly summary?: string | undefined },
): Promise<StageMove> {
  const { tx, number, stage, parts } = at;
  if (stage === null) throw allDone(at.id);
  if (expected !== undefined && expected !== stage) throw elsewhere(expected, stage);
  await tx.run(
    "UPDATE stage_states SET state = 'done', summary = ?, completed_at = ? WHERE iteration = ? AND stage = ?",
    [summary ?? null, parts.clock.now(), number, stage],
  );
  const next = stages[stages.indexOf(stage) + 1] ?? null;
  if (next !== null) await setState(at, next, "active");
  await arrive(at, next, { what: `${stage} done -> ${next ?? "end"}`, note: summary });
  return { iterationId: at.id, from: stage, to: next, invalidated: [] };
}

async function setState({ tx, number }: Standing, stage: Stage, state: StageState): Promise<void> {
  const sql = "UPDATE stage_states SET state = ? WHERE iteration = ? AND stage = ?";
  await tx.run(sql, [state, number, stage]);
}

async function arrive(
  { tx, number, parts }: Standing,
  stage: Stage | null,
  { what, note }: { readonly what: string; readonly note: string | undefined },
): Promise<void> {
  const { agent, sessionId, callId } = parts.scope.actor;
  await tx.run("UPDATE iterations SET stage = ? WHERE number = ?", [stage, number]);
  await tx.run(
    `INSERT INTO pipeline_history (iteration, at, agent, session_id, call_id, what, note)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [number, parts.clock.now(), agent, sessionId, callId ?? null, what, note ?? null],
  );
}

interface StageRow {
  stage: Stage;
  state: StageState;
  summary: string | null;
  completed_at: number | null;
}

async function stageRows(sql: Sql, number: number): Promise<StageRow[]> {
  const text = "SELECT stage, state, summary, completed_at FROM stage_states WHERE iteration = ?";
  const rows = await sql.all<StageRow>(text, [number]);
  return rows.sort((one, other) => stages.indexOf(one.stage) - stages.indexOf(other.stage));
}

const movesShown = 20;

async function statusOf(sql: Sql, iteration: NumberedIteration): Promise<PipelineStatus> {
  const rows = await stageRows(sql, iteration.number);
  const moves = await sql.all<ChangeRow>(
    `SELECT at, agent, session_id, call_id, what, note FROM pipeline_history
     WHERE iteration = ? ORDER BY number DESC LIMIT ${movesShown}`,
    [iteration.number],
  );
  const history: readonly RecordedChange[] = moves.toReversed().map(toRecorded);
  return { iteration: bare(iteration), stages: rows.map(toStatus), history };
}

function toStatus({ stage, state, summary, completed_at: completedAt }: StageRow): StageStatus {
  return {
    stage,
    state,
    ...(summary !== null && { summary }),
    ...(completedAt !== null && { completedAt }),
  };
}

function allDone(id: string): ToolValidationError {
  return new ToolValidationError(`All stages of ${id} are done already.`, {
    code: "VALUE_INVALID",
    hint: "Begin the next one with start_iteration, or go back with goto_stage.",
  });
}

function elsewhere(expected: Stage, stage: Stage): ToolValidationError {
  return new ToolValidationError(`The pipeline is at ${stage}, not at ${expected}; nothing was completed.`, {
    code: "VALUE_INVALID",
    hint: "Look at pipeline_status; another agent or person may have moved it.",
  });
}
