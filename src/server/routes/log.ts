import type { Context, Hono } from "hono";
import * as z from "zod";
import type { AuditRecord } from "../../contract/ports/audit.js";
import type { LogPage, ReplayView, ShownRecord } from "../api.js";
import { exportLog } from "../export-log.js";
import { readBody, readParam, readQuery } from "../read-request.js";
import { requestUser, requireSeen, sessionsSeenBy } from "../request-person.js";
import type { RouteContext } from "../route-context.js";
import { cutLarge, readPart } from "../shown-record.js";
import { standingChanges } from "../standing-changes.js";

const text = z.string().max(1000).optional();
const number = z.coerce.number().optional();
const filters = {
  since: number,
  until: number,
  tool: text,
  agent: text,
  taskId: text,
  sessionId: text,
  outcome: z.enum(["success", "failure", "denied", "interrupted"]).optional(),
  text,
};
const logQuery = z.strictObject({
  ...filters,
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
const tallyQuery = z.strictObject({
  ...filters,
  buckets: z.coerce.number().int().min(1).max(500).default(60),
});
const exportQuery = z.strictObject({ ...filters, format: z.enum(["jsonl", "csv"]).default("jsonl") });
const partQuery = z.strictObject({
  of: z.enum(["result", "arguments"]).default("result"),
  pointer: z.string().max(4096).default(""),
  from: z.coerce.number().int().min(0).default(0),
  count: z.coerce.number().int().min(1).max(1_000_000).default(256_000),
});
const verifyBody = z.strictObject({
  head: z
    .union([z.string().max(200), z.strictObject({ seq: z.number().int(), hash: z.string() })])
    .optional(),
});
const replayBody = z.strictObject({ taskId: z.string().min(1).max(200) });

/** The log of calls: search, one record, its chain, and doing a task again. */
export function addLog(api: Hono, served: RouteContext): void {
  const { tenon } = served;
  api.get("/log", async (c) => {
    const query = readQuery(c, logQuery);
    const records = await tenon.audit.search({ ...query, ...ownOnly(c) });
    const next = records.length < query.limit ? undefined : records.at(-1)?.seq;
    return c.json({ records, next } satisfies LogPage);
  });
  api.post("/log/verify", async (c) => {
    const { head } = await readBody(c, verifyBody);
    return c.json(await tenon.audit.verify(head));
  });
  api.post("/log/replay", async (c) => {
    const { taskId } = await readBody(c, replayBody);
    const report = await tenon.replay(taskId, { signal: c.req.raw.signal });
    return c.json(report satisfies ReplayView);
  });
  api.get("/log/tally", async (c) => {
    const { buckets, ...query } = readQuery(c, tallyQuery);
    return c.json(await tenon.audit.tally({ ...query, ...ownOnly(c) }, buckets));
  });
  api.get("/log/export", (c) => {
    const { format, ...query } = readQuery(c, exportQuery);
    c.header("content-type", format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson");
    c.header("content-disposition", `attachment; filename="tenon-log.${format}"`);
    return c.body(exportLog(tenon.audit.export({ ...query, ...ownOnly(c) }), format));
  });
  const look = createFinder(served);
  const find = async (c: Context): Promise<AuditRecord> => {
    const record = await look(readParam(c, "id"));
    requireSeen(c, record?.sessionId, "Record");
    return record as AuditRecord; // one without a session is refused above
  };
  api.get("/log/:id", async (c) => c.json(await find(c)));
  api.get("/log/:id/shown", async (c) => {
    const { record, large } = cutLarge(await find(c));
    const changes = (await standingChanges(tenon)).get(record.callId) ?? 0;
    return c.json({ ...record, large, changes } satisfies ShownRecord);
  });
  api.get("/log/:id/part", async (c) => {
    const piece = readQuery(c, partQuery);
    return c.json(readPart(await find(c), piece));
  });
}

/** Users who may not see all calls see their own. */
function ownOnly(c: Context): { readonly principal?: string | undefined } {
  return sessionsSeenBy(c) === undefined ? {} : { principal: requestUser(c)?.principal };
}

/** Contents may be purged by another process at any time. */
const keptMs = 10_000;

/** Two, for as many are compared. */
const keptRecords = 2;

/** Finds records by call id or place; the last ones are kept for a moment, since large ones are read piece by piece. */
function createFinder({
  tenon: { audit },
  now,
}: RouteContext): (id: string) => Promise<AuditRecord | undefined> {
  let kept: readonly { readonly id: string; readonly record: AuditRecord; readonly until: number }[] = [];
  return async (id) => {
    kept = kept.filter(({ until }) => until >= now());
    const known = kept.find((one) => one.id === id);
    if (known !== undefined) return known.record;
    const place = /^\d{1,15}$/.test(id) ? await audit.get(Number(id)) : undefined;
    const record = place ?? (await audit.get(id));
    if (record === undefined) return undefined;
    kept = [{ id, record, until: now() + keptMs }, ...kept].slice(0, keptRecords);
    return record;
  };
}
