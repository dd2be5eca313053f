import type { Hono } from "hono";
import * as z from "zod";
import { HttpError, notFound } from "../http-error.js";
import { readParam, readQuery } from "../read-request.js";
import type { CallResult } from "../../runtime/calls/results.js";
import type { FetchedCall, LiveCall } from "../api.js";
import { httpPrincipal } from "../principal.js";
import { includesRole } from "../../contract/ports/access.js";
import { requestUser } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

const listQuery = z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(500) });

/** Calls that run or ended lately, and stopping one. */
export function addCalls(api: Hono, { calls, tenon }: RouteContext): void {
  api.get("/calls", (c) => c.json(calls.list(readQuery(c, listQuery).limit)));
  api.get("/calls/:id", async (c) => {
    const id = readParam(c, "id");
    const known = calls.get(id);
    const user = requestUser(c);
    const principal = user?.principal ?? httpPrincipal;
    const result = await tenon.result(known?.callId ?? id, { principal });
    // Users who may not see all calls see only those that have an answer for them.
    const isOwn = result !== undefined || user === undefined || includesRole(user.role, "approver");
    const call = isOwn ? known : undefined;
    if (call === undefined && result === undefined) throw notFound("such call");
    return c.json(toAnswer(call, result));
  });
  api.post("/calls/:id/cancel", (c) => {
    const id = readParam(c, "id");
    if (tenon.cancel(id, "A person cancelled the call.")) return c.json({ cancelled: true });
    const call = calls.get(id);
    if (call === undefined) throw notFound("such call");
    const { parentCallId, endedAt } = call;
    throw new HttpError(409, {
      code: "NOT_RUNNING",
      message:
        endedAt === undefined ? "The call cannot be stopped by itself." : "The call has ended already.",
      ...(endedAt === undefined &&
        parentCallId !== undefined && { hint: `It belongs to the call ${parentCallId}: stop that one.` }),
    });
  });
}

/** What is known of the call, with its answer where it has one. */
function toAnswer(call: LiveCall | undefined, result: CallResult | undefined): FetchedCall {
  if (result?.state !== "done") return { ...result, ...call } as FetchedCall;
  const { envelope } = result;
  const { callId, toolName, success, startedAt, completedAt, metadata } = envelope;
  const { sessionId, agent = "", taskId, requestId } = metadata;
  const facts = {
    callId,
    toolName,
    sessionId,
    agent,
    requestedAt: startedAt,
    startedAt,
    endedAt: completedAt,
  };
  const known = { ...(taskId !== undefined && { taskId }), ...(requestId !== undefined && { requestId }) };
  return { ...facts, ...known, state: success ? "succeeded" : "failed", ...call, envelope };
}
