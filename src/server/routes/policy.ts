import type { Hono } from "hono";
import * as z from "zod";
import type { ListedRule } from "../../policy/create-policy.js";
import { ruleText } from "../../policy/rule-text.js";
import type { ExplainView, PolicyView } from "../api.js";
import { notFound } from "../http-error.js";
import { readBody, readParam } from "../read-request.js";
import { admissionOf } from "../request-person.js";
import type { Session } from "../../runtime/sessions/session.js";
import type { RouteContext } from "../route-context.js";

const explainBody = z.strictObject({ tool: z.string().min(1).max(200), arguments: z.unknown().optional() });

/** The rules, what they decide, and forgetting a remembered one. */
export function addPolicy(api: Hono, served: RouteContext): void {
  const { tenon } = served;
  api.get("/policy", async (c) => {
    await tenon.ready();
    const rules = (await allRules(tenon)).map(({ id, source, rule, sessionId }) => ({
      id,
      source,
      behavior: rule.decision,
      text: ruleText(rule),
      ...(sessionId !== undefined && { sessionId }),
      revocable: source === "remembered" || source === "session",
    }));
    return c.json({ mode: tenon.policy.mode, rules } satisfies PolicyView);
  });
  api.post("/policy/explain", async (c) => {
    const { tool, arguments: args } = await readBody(c, explainBody);
    return c.json(await explain(served, await served.session(admissionOf(c)), { tool, args: args ?? {} }));
  });
  api.delete("/policy/rules/:id", async (c) => {
    const id = readParam(c, "id");
    const revocable = (await allRules(tenon)).some(
      (one) => one.id === id && (one.source === "remembered" || one.source === "session"),
    );
    if (!revocable || !(await tenon.revoke(id))) throw notFound("such remembered rule");
    return c.json({ revoked: id });
  });
}

/** The rules that count here, and those of sessions in other processes. */
async function allRules(tenon: RouteContext["tenon"]): Promise<readonly ListedRule[]> {
  const own = tenon.policy.rules();
  const known = new Set(own.map(({ id }) => id));
  return [...own, ...(await tenon.sessionRules()).filter(({ id }) => !known.has(id))];
}

async function explain(
  served: RouteContext,
  session: Session,
  { tool, args }: { readonly tool: string; readonly args: unknown },
): Promise<ExplainView> {
  const told = await session.explain({ name: tool, arguments: args }, { considered: true });
  const texts = new Map(served.tenon.policy.rules().map(({ id, rule }) => [id, ruleText(rule)]));
  return {
    decision: told.decision,
    rule: told.rule,
    source: told.source,
    reason: told.reason,
    ...(told.hint !== undefined && { hint: told.hint }),
    considered: (told.considered ?? []).map(({ id, source, decision }) => ({
      rule: id,
      source,
      behavior: decision,
      text: texts.get(id) ?? "",
    })),
    commands: (told.commands ?? []).map(({ command, decision, reason }) => ({ command, decision, reason })),
  };
}
