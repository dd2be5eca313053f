import type { ToolEnvelope } from "../../contract/call.js";
import type { AuditLog, AuditRecord } from "../../contract/ports/audit.js";
import { envelopeOf } from "../audit/envelope-of.js";
import type { TaskContext, Tasks } from "./tasks.js";

const maxActions = 10_000;

/** The calls of a task from the log, in all processes; those of this process with their original answers. */
export async function readTask(
  taskId: string,
  { tasks, log }: { readonly tasks: Tasks; readonly log: AuditLog },
): Promise<TaskContext | undefined> {
  const live = tasks.get(taskId);
  const own = new Map((live?.actionsDone ?? []).map((envelope) => [envelope.callId, envelope]));
  const records = (await log.search({ taskId, limit: maxActions })).filter(({ act }) => act === undefined);
  const actions: ToolEnvelope[] = [];
  for (const record of records.toReversed()) {
    actions.push(own.get(record.callId) ?? envelopeOf(await whole(record, log)));
    own.delete(record.callId);
  }
  // Calls that are not in the log.
  actions.push(...own.values());
  if (actions.length === 0) return undefined;
  const older = records.length < maxActions ? 0 : await countOlder(log, taskId, records.at(-1)?.seq);
  return { taskId, actionsDone: actions, actionsDropped: Math.max(older, live?.actionsDropped ?? 0) };
}

async function whole(record: AuditRecord, log: AuditLog): Promise<AuditRecord> {
  return record.resultDigest === undefined ? record : ((await log.get(record.seq)) ?? record);
}

async function countOlder(log: AuditLog, taskId: string, from: number | undefined): Promise<number> {
  let count = 0;
  for (let before = from; before !== undefined;) {
    const page: readonly AuditRecord[] = await log.search({ taskId, before, limit: maxActions });
    count += page.length;
    before = page.length < maxActions ? undefined : page.at(-1)?.seq;
  }
  return count;
}
