import type { Hono } from "hono";
import * as z from "zod";
import type { LogPage, ReplayView } from "../api.js";
import { notFound } from "../http-error.js";
import { readBody, readParam, readQuery } from "../read-request.js";
import type { RouteContext } from "../route-context.js";

const text = z.string().max(1000).optional();
const number = z.coerce.number().optional();
const logQuery = z.strictObject({
  since: number,
  until: number,
  tool: text,
  agent: text,
  taskId: text,
  sessionId: text,
  outcome: z.enum(["success", "failure", "denied", "interrupted"]).optional(),
  text,
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
const verifyBody = z.strictObject({
  head: z
    .union([z.string().max(200), z.strictObject({ seq: z.number().int(), hash: z.string() })])
    .optional(),
});
const replayBody = z.strictObject({ taskId: z.string().min(1).max(200) });

/** The log of calls: search, one record, its chain, and doing a task again. */
export function addLog(api: Hono, { tenon }: RouteContext): void {
  api.get("/log", async (c) => {
    const query = readQuery(c, logQuery);
    const records = await tenon.audit.search(query);
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
  api.get("/log/:id", async (c) => {
    const id = readParam(c, "id");
    const place = /^\d{1,15}$/.test(id) ? await tenon.audit.get(Number(id)) : undefined;
    const record = place ?? (await tenon.audit.get(id));
    if (record === undefined) throw notFound("such record");
    return c.json(record);
  });
}
