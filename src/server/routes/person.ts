import type { Context, Hono } from "hono";
import * as z from "zod";
import type { AnswerOutcome, FirstAnswer } from "../../call/consent-desk.js";
import type { Answer, ApprovalAnswerer, Question } from "../../contract/ports/interact.js";
import type { FirstAnswerView, PendingApproval, RefuseBody } from "../api.js";
import { HttpError, notFound } from "../http-error.js";
import { readBody, readParam, readQuery } from "../read-request.js";
import { requestPerson, requestUser, requireSeen, seenOf, sessionsSeenBy } from "../request-person.js";
import { requireRole } from "../route-roles.js";
import type { RouteContext } from "../route-context.js";

const approvalBody = z.discriminatedUnion("verdict", [
  z.strictObject({
    verdict: z.enum(["once", "session", "always"]),
    updatedArguments: z.unknown().optional(),
  }),
  z.strictObject({ verdict: z.literal("no"), reason: z.string().max(10_000).optional() }),
]);

const filter = z.string().min(1).max(1000).optional();
const filters = { session: filter, client: filter, tool: filter, agent: filter };
const refuseBody = z.strictObject({ ...filters, reason: z.string().max(10_000).optional() });
const listQuery = z.object(filters);

const questionBody = z.union([
  z.strictObject({ declined: z.literal(true) }),
  z.strictObject({
    text: z.string().max(1_000_000).optional(),
    approved: z.boolean().optional(),
    action: z.enum(["approve", "edit", "reject"]).optional(),
    content: z.string().max(4_000_000).optional(),
    feedback: z.string().max(100_000).optional(),
  }),
]);

/** What waits for the person, and the answers. */
export function addPerson(api: Hono, served: RouteContext): void {
  addApprovals(api, served);
  addQuestions(api, served);
}

function addApprovals(api: Hono, { tenon, queue, noteApprovalsRead: looked }: RouteContext): void {
  api.get("/approvals", async (c) => {
    looked();
    const wanted = readQuery(c, listQuery);
    return c.json(seenOf(c, await queue.list()).filter((one) => fitsFilter(one, wanted)));
  });
  api.post("/approvals/refuse", async (c) => {
    const { reason, ...wanted } = await readBody(c, refuseBody);
    if (Object.keys(wanted).length === 0) throw misfit("a filter: session, client, tool or agent");
    const meant = seenOf(c, await queue.list()).filter((one) => fitsFilter(one, wanted));
    const answer = { verdict: "no" as const, ...(reason !== undefined && { reason }), by: answererOf(c) };
    const outcomes = await Promise.all(meant.map(({ id }) => tenon.approvals.answer(id, answer)));
    return c.json({ refused: outcomes.filter(({ status }) => status === "accepted").length });
  });
  api.post("/approvals/:id", async (c) => {
    const id = readParam(c, "id");
    const answer = await readBody(c, approvalBody);
    const user = requestUser(c);
    // Anyone may refuse requests that are made in their own name.
    if (user !== undefined && answer.verdict !== "no") requireRole(user.role, "approver");
    const asked = (await queue.list()).find((one) => one.id === id);
    // How a request ended that is gone is told only to those who see all of them.
    if (asked !== undefined || sessionsSeenBy(c) !== undefined) requireSeen(c, asked?.sessionId, "Request");
    const outcome = await tenon.approvals.answer(id, { ...answer, by: answererOf(c) });
    refuseFailed(outcome);
    return c.json({ answered: true, ...(outcome.status === "counted" && { missing: outcome.missing }) });
  });
  api.all("/approvals/*", () => {
    throw notFound("Request");
  });
}

function addQuestions(api: Hono, { person, noteApprovalsRead: looked }: RouteContext): void {
  api.get("/questions", (c) => {
    looked();
    return c.json(seenOf(c, person?.questions() ?? []));
  });
  api.post("/questions/:id", async (c) => {
    const id = readParam(c, "id");
    const body = await readBody(c, questionBody);
    const asked = person?.questions().find((one) => one.id === id);
    if (asked === undefined || seenOf(c, [asked]).length === 0) throw unknownQuestion();
    const answer = "declined" in body ? undefined : fitting(asked.question, body as Answer);
    if (person?.answerQuestion(id, answer) !== true) throw unknownQuestion();
    return c.json({ answered: true });
  });
}

/** A page of the console, or a program that holds the token. */
function answererOf(c: Context): ApprovalAnswerer {
  const { channel, name } = requestPerson(c);
  const user = requestUser(c);
  if (user !== undefined) return { channel, person: name, principal: user.principal };
  // The server's own token does not identify a person.
  return channel === "console" ? { channel, person: name } : { channel };
}

function fitsFilter(one: PendingApproval, { session, client, tool, agent }: RefuseBody): boolean {
  return (
    (session === undefined || one.sessionId === session) &&
    (client === undefined || one.client?.name === client) &&
    (tool === undefined || one.toolName === tool) &&
    (agent === undefined || one.agent === agent)
  );
}

/** An answer that does not count is told why. */
function refuseFailed(outcome: AnswerOutcome): void {
  switch (outcome.status) {
    case "accepted":
    case "counted":
      return;
    // The token may be in the hands of the program that asks.
    case "own":
      throw new HttpError(403, {
        code: "OWN_REQUEST",
        message: "You cannot approve a call that was made in your own name.",
        hint: "Another approver has to answer. You can still refuse it.",
      });
    case "late":
      throw new HttpError(409, {
        code: "ALREADY_ANSWERED",
        message: describeFirst(outcome.first),
        details: toTaken(outcome.first) as unknown as Record<string, unknown>,
      });
    case "invalid":
      throw new HttpError(400, {
        code: "ARGUMENTS_INVALID",
        message: `The changed arguments cannot be used: ${outcome.fault}`,
        hint: "Correct them and answer again; the request is still waiting.",
      });
    case "closed":
      throw new HttpError(403, {
        code: "CHANNEL_CLOSED",
        message: "This request cannot be answered on this channel.",
        hint: "See approvals.channels in the configuration.",
      });
    case "unknown":
      throw new HttpError(404, {
        code: "NOT_FOUND",
        message: "Request not found.",
        hint: "It may have expired.",
      });
  }
}

function toTaken({ verdict, resolvedAt: at, channel, person, client, reason }: FirstAnswer): FirstAnswerView {
  return { verdict, at, channel, person, client, reason };
}

function describeFirst({ verdict, channel, person, resolvedAt }: FirstAnswer): string {
  const when = new Date(resolvedAt).toISOString();
  if (channel === undefined) return `Nobody has been waiting for this answer since ${when}.`;
  const who = person === undefined ? "" : ` by ${person}`;
  return `It was answered first${who} on the channel ${channel}: ${verdict}, at ${when}.`;
}

/** The answer must fit the question. */
function fitting({ kind, options }: Question, answer: Answer): Answer {
  if (kind === "confirm" && answer.approved === undefined) throw misfit('"approved" (true or false)');
  if (kind === "review" && answer.action === undefined) throw misfit('"action" (approve, edit or reject)');
  if (kind === "review" && answer.action === "edit" && answer.content === undefined)
    throw misfit('"content", the new text');
  if ((kind === "ask" || kind === "input") && answer.text === undefined)
    throw misfit(options === undefined ? '"text"' : '"text", one of the options or words of your own');
  return answer;
}

function misfit(wanted: string): HttpError {
  return new HttpError(400, { code: "REQUEST_INVALID", message: `The answer needs ${wanted}.` });
}

function unknownQuestion(): HttpError {
  return new HttpError(404, {
    code: "NOT_FOUND",
    message: "This question is not waiting for an answer.",
    hint: "It was answered elsewhere, expired, or its call was cancelled.",
  });
}
