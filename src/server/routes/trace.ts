import type { Hono } from "hono";
import * as z from "zod";
import { groupBy } from "../../contract/group-by.js";
import type { AuditRecord } from "../../contract/ports/audit.js";
import type { LiveCall, TraceGroup, TraceSpan, TraceView } from "../api.js";
import { boundValue } from "../bound-value.js";
import { notFound } from "../http-error.js";
import { readQuery } from "../read-request.js";
import type { RouteContext } from "../route-context.js";
import { standingChanges } from "../standing-changes.js";

const id = z.string().min(1).max(200);
const groupsQuery = z.strictObject({
  by: z.enum(["task", "session"]).default("task"),
  /** Part of their ids. */
  text: z.string().max(200).default(""),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
const traceQuery = z.union([
  z.strictObject({ task: id }),
  z.strictObject({ session: id }),
  z.strictObject({ call: id }),
]);
const maxSpans = 20_000;
const maxDepth = 100;
const argumentLimits = { text: 160, items: 8, depth: 2, total: 240 };

/** Calls that belong together: the tasks and sessions there are, and the calls of one. */
export function addTrace(api: Hono, { tenon, calls }: RouteContext): void {
  api.get("/traces", async (c) => {
    const { by, text, limit } = readQuery(c, groupsQuery);
    const groups = await tenon.audit.groups(by, text === "" ? limit : Number.MAX_SAFE_INTEGER);
    const wanted = text.toLowerCase();
    const fitting = groups.filter(({ id: name }) => name.toLowerCase().includes(wanted));
    return c.json(fitting.slice(0, limit) satisfies readonly TraceGroup[]);
  });
  api.get("/trace", async (c) => {
    const query = readQuery(c, traceQuery);
    const live = calls.list(10_000).filter(({ endedAt }) => endedAt === undefined);
    const { records, running } =
      "call" in query
        ? await aroundCall(tenon, query.call, live)
        : {
            records: await tenon.audit.search({
              ...("task" in query ? { taskId: query.task } : { sessionId: query.session }),
              limit: maxSpans,
            }),
            running: live.filter((call) =>
              "task" in query ? call.taskId === query.task : call.sessionId === query.session,
            ),
          };
    if (records.length + running.length === 0) throw notFound("Trace");
    const changes = await standingChanges(tenon);
    const known = new Set(records.map(({ callId }) => callId));
    const spans = [
      // The newest comes first: what came in the same millisecond keeps its order.
      ...records.toReversed().map((record) => toSpan(record, changes.get(record.callId))),
      ...running.filter(({ callId }) => !known.has(callId)).map(toRunning),
    ].sort((one, other) => one.time - other.time);
    return c.json({ spans, truncated: records.length >= maxSpans } satisfies TraceView);
  });
}

/** The outermost call that a call belongs to, with all that it called. */
async function aroundCall(
  tenon: RouteContext["tenon"],
  callId: string,
  live: readonly LiveCall[],
): Promise<{ readonly records: readonly AuditRecord[]; readonly running: readonly LiveCall[] }> {
  const parents = new Map(live.map((call) => [call.callId, call]));
  let root:
    | { callId: string; parentCallId?: string | undefined; sessionId: string; time: number }
    | undefined;
  for (let next: string | undefined = callId, depth = 0; next !== undefined && depth < maxDepth; depth++) {
    const running = parents.get(next);
    const found: typeof root =
      running === undefined ? await tenon.audit.get(next) : { ...running, time: running.requestedAt };
    if (found === undefined) break;
    root = found;
    next = found.parentCallId;
  }
  if (root === undefined) throw notFound("Call");
  const { sessionId, time } = root;
  const all = await tenon.audit.search({ sessionId, since: time, limit: maxSpans });
  const isInside = insideOf(root.callId, [...all, ...live]);
  return {
    records: all.filter((record) => isInside(record.callId)),
    running: live.filter((call) => isInside(call.callId)),
  };
}

/** Whether a call is the root or was made by it, over any number of steps. */
function insideOf(
  root: string,
  calls: readonly { readonly callId: string; readonly parentCallId?: string | undefined }[],
): (callId: string) => boolean {
  const children = groupBy(calls, ({ parentCallId }) => parentCallId);
  const inside = new Set([root]);
  // A Set also visits elements that are added during the iteration.
  for (const callId of inside) for (const child of children.get(callId) ?? []) inside.add(child.callId);
  return (callId) => inside.has(callId);
}

function toSpan(record: AuditRecord, changes: number | undefined): TraceSpan {
  const { callId, parentCallId, tool, agent, sessionId, taskId, outcome, time, durationMs } = record;
  const { approval, error, arguments: args, waitedForPersonMs = approval?.waitedMs } = record;
  return {
    callId,
    parentCallId,
    tool,
    agent,
    sessionId,
    taskId,
    state: outcome,
    time,
    durationMs,
    ...(approval !== undefined && { asked: { at: approval.requestedAt, waitedMs: approval.waitedMs } }),
    ...(waitedForPersonMs !== undefined && { waitedForPersonMs }),
    ...(error !== undefined && { errorCode: error.code }),
    arguments: boundValue(args, argumentLimits).value,
    ...(changes !== undefined && { changes }),
  };
}

function toRunning(call: LiveCall): TraceSpan {
  const { callId, parentCallId, toolName: tool, agent, sessionId, taskId, requestedAt: time } = call;
  const { askedAt, answeredAt = Date.now() } = call;
  return {
    callId,
    parentCallId,
    tool,
    agent,
    sessionId,
    taskId,
    // One that has ended is in the log a moment later.
    state: call.state === "succeeded" || call.state === "failed" ? "running" : call.state,
    time,
    ...(askedAt !== undefined && { asked: { at: askedAt, waitedMs: answeredAt - askedAt } }),
    arguments: boundValue(call.arguments, argumentLimits).value,
  };
}
