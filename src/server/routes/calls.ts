import type { Hono } from "hono";
import * as z from "zod";
import { ApiFault, notFound } from "../api-fault.js";
import { readParam, readQuery } from "../read-request.js";
import type { Served } from "../served.js";

const listQuery = z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(500) });

/** Calls that run or ended lately, and stopping one. */
export function addCalls(api: Hono, { calls, tenon }: Served): void {
  api.get("/calls", (c) => c.json(calls.list(readQuery(c, listQuery).limit)));
  api.get("/calls/:id", (c) => {
    const call = calls.get(readParam(c, "id"));
    if (call === undefined) throw notFound("such call");
    return c.json(call);
  });
  api.post("/calls/:id/cancel", (c) => {
    const id = readParam(c, "id");
    if (tenon.cancel(id, "A person cancelled the call.")) return c.json({ cancelled: true });
    const call = calls.get(id);
    if (call === undefined) throw notFound("such call");
    const { parentCallId, endedAt } = call;
    throw new ApiFault(409, {
      code: "NOT_RUNNING",
      message:
        endedAt === undefined ? "The call cannot be stopped by itself." : "The call has ended already.",
      ...(endedAt === undefined &&
        parentCallId !== undefined && { hint: `It belongs to the call ${parentCallId}: stop that one.` }),
    });
  });
}
