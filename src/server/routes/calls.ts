import type { Hono } from "hono";
import * as z from "zod";
import { HttpError, notFound } from "../http-error.js";
import { readParam, readQuery } from "../read-request.js";
import type { CallResult } from "../../runtime/calls/results.js";
import type { FetchedCall, LiveCall } from "../api.js";
import { httpPrincipal } from "../principal.js";
import { requestUser, sessionsSeenBy } from "../request-person.js";
import type { RouteContext } from "../route-context.js";

const listQuery = z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(500) });

/** Running and recent calls, and cancelling one. */
export function addCalls(api: Hono, { calls, tenon }: RouteContext): void {
  api.get("/calls", (c) => c.json(calls.list(readQuery(c, listQuery).limit, sessionsSeenBy(c))));
  api.get("/calls/:id", async (c) => {
    const id = readParam(c, "id");
    const call = calls.get(id, sessionsSeenBy(c));
    const principal = requestUser(c)?.principal ?? httpPrincipal;
    const result = await tenon.result(call?.callId ?? id, { principal });
    if (call === undefined && result === undefined) throw notFound("Call");
    return c.json(toAnswer(call, result));
  });
  api.post("/calls/:id/cancel", (c) => {
    const id = readParam(c, "id");
    const call = calls.get(id, sessionsSeenBy(c));
    const isForeign = call === undefined && sessionsSeenBy(c) !== undefined;
    if (!isForeign && tenon.cancel(id, "A person cancelled the call.")) return c.json({ cancelled: true });
    if (call === undefined) throw notFound("Call");
    const { parentCallId, endedAt } = call;
    throw new HttpError(409, {
      code: "NOT_RUNNING",
      message:
        endedAt === undefined ? "The call cannot be stopped by itself." : "The call has already ended.",
      ...(endedAt === undefined &&
        parentCallId !== undefined && { hint: `Stop the call ${parentCallId}, which made it.` }),
    });
  });
}

/** What is known about the call, with its answer if it has one. */
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
