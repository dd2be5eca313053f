import type { Hono } from "hono";
import * as z from "zod";
import type { Answer, Question } from "../../contract/ports/interact.js";
import { ApiFault, notFound } from "../api-fault.js";
import { readBody, readParam } from "../read-request.js";
import type { Served } from "../served.js";

const approvalBody = z.discriminatedUnion("verdict", [
  z.strictObject({
    verdict: z.enum(["once", "session", "always"]),
    updatedArguments: z.unknown().optional(),
  }),
  z.strictObject({ verdict: z.literal("no"), reason: z.string().max(10_000).optional() }),
]);

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
export function addPerson(api: Hono, { person }: Served): void {
  api.get("/approvals", (c) => c.json(person?.approvals() ?? []));
  api.post("/approvals/:id", async (c) => {
    const id = readParam(c, "id");
    const answer = await readBody(c, approvalBody);
    if (person?.answerApproval(id, answer) !== true) throw answered("request");
    return c.json({ answered: true });
  });
  api.get("/questions", (c) => c.json(person?.questions() ?? []));
  api.post("/questions/:id", async (c) => {
    const id = readParam(c, "id");
    const body = await readBody(c, questionBody);
    const asked = person?.questions().find((one) => one.id === id);
    if (asked === undefined) throw answered("question");
    const answer = "declined" in body ? undefined : fitting(asked.question, body as Answer);
    if (person?.answerQuestion(id, answer) !== true) throw answered("question");
    return c.json({ answered: true });
  });
  api.all("/approvals/*", () => {
    throw notFound("such request");
  });
}

/** The answer must say what the question asks for. */
function fitting({ kind, options }: Question, answer: Answer): Answer {
  if (kind === "confirm" && answer.approved === undefined) throw misfit('"approved" (true or false)');
  if (kind === "review" && answer.action === undefined) throw misfit('"action" (approve, edit or reject)');
  if (kind === "review" && answer.action === "edit" && answer.content === undefined)
    throw misfit('"content", the new text');
  if ((kind === "ask" || kind === "input") && answer.text === undefined)
    throw misfit(options === undefined ? '"text"' : '"text", one of the options or words of your own');
  return answer;
}

function misfit(wanted: string): ApiFault {
  return new ApiFault(400, {
    code: "REQUEST_INVALID",
    message: `The answer to this question needs ${wanted}.`,
  });
}

function answered(what: string): ApiFault {
  return new ApiFault(404, {
    code: "NOT_FOUND",
    message: `No such ${what} waits for an answer.`,
    hint: "It was answered elsewhere, expired, or its call was cancelled.",
  });
}
