import type { Context, Hono } from "hono";
import * as z from "zod";
import { compileNames } from "../../glob/name-glob.js";
import type { ListedRule } from "../../policy/create-policy.js";
import type { PolicyRule } from "../../policy/policy-rule.js";
import { ruleText } from "../../policy/rule-text.js";
import type { SimulatedChange } from "../../runtime/replay/simulate-rules.js";
import { boundValue } from "../bound-value.js";
import type { ExplainView, PolicyView } from "../api.js";
import { notFound } from "../http-error.js";
import { readBody, readParam } from "../read-request.js";
import { admissionOf, requestActs, requestUser, sessionsSeenBy } from "../request-person.js";
import type { Session } from "../../runtime/sessions/session.js";
import type { RouteContext } from "../route-context.js";

const explainBody = z.strictObject({ tool: z.string().min(1).max(200), arguments: z.unknown().optional() });

const glob = z.string().trim().min(1).max(1000).optional();
const conditions = {
  tool: glob,
  agent: glob,
  user: glob,
  client: glob,
  role: glob,
  endpoint: glob,
  session: glob,
  path: glob,
  command: glob,
  host: glob,
};
const ruleBody = z
  .strictObject({
    decision: z.enum(["allow", "ask", "deny"]),
    ...conditions,
    access: z.enum(["read", "write"]).optional(),
    reason: z.string().trim().min(1).max(1000).optional(),
  })
  .refine((rule) => Object.keys(conditions).some((name) => Object.hasOwn(rule, name)), {
    message: "A rule needs a condition, such as a tool.",
  })
  .transform(
    (rule) =>
      Object.fromEntries(
        Object.entries(rule).filter(([, value]) => value !== undefined),
      ) as unknown as PolicyRule,
  );

const simulateBody = z.strictObject({
  rules: z.array(ruleBody).max(100).default([]),
  minutes: z.number().int().min(1).max(525_600).optional(),
  limit: z.number().int().min(1).max(20_000).default(5000),
});
/** Changes that are sent; the counts are of all. */
const maxChanges = 500;
const argumentLimits = { text: 300, items: 10, depth: 3, total: 600 };

function bounded(change: SimulatedChange): SimulatedChange {
  return { ...change, arguments: boundValue(change.arguments, argumentLimits).value };
}

/** The rules, test decisions, and removing a remembered rule. */
export function addPolicy(api: Hono, served: RouteContext): void {
  const { tenon } = served;
  api.get("/policy", async (c) => {
    await tenon.ready();
    const seen = (await allRules(tenon)).filter((one) => isSeen(c, one));
    const rules = seen.map(({ id, source, rule, sessionId }) => ({
      id,
      source,
      behavior: rule.decision,
      conditions: { ...rule },
      text: ruleText(rule),
      ...(sessionId !== undefined && { sessionId }),
      revocable: isRevocable(c, { id, source, rule, sessionId }),
    }));
    return c.json({ mode: tenon.policy.mode, rules } satisfies PolicyView);
  });
  api.post("/policy/explain", async (c) => {
    const { tool, arguments: args } = await readBody(c, explainBody);
    return c.json(await explain(served, await served.session(admissionOf(c)), { tool, args: args ?? {} }));
  });
  api.post("/policy/simulate", async (c) => {
    const { rules, minutes, limit } = await readBody(c, simulateBody);
    const since = minutes === undefined ? undefined : served.now() - minutes * 60_000;
    const simulation = await tenon.simulate({ rules, since, limit, signal: c.req.raw.signal });
    return c.json({ ...simulation, changes: simulation.changes.slice(0, maxChanges).map(bounded) });
  });
  api.post("/policy/rules", async (c) => {
    const rule = await readBody(c, ruleBody);
    return c.json({ id: await requestActs(c, tenon).remember(rule) });
  });
  api.put("/policy/rules/:id", async (c) => {
    const id = readParam(c, "id");
    const rule = await readBody(c, ruleBody);
    const isSaved = (await allRules(tenon)).some((one) => one.id === id && one.source === "remembered");
    if (!isSaved) throw notFound("Remembered rule");
    // The new one first: in between both count, and nothing is allowed that neither allows.
    const acts = requestActs(c, tenon);
    const saved = await acts.remember(rule);
    await acts.revoke(id);
    return c.json({ id: saved });
  });
  api.delete("/policy/rules/:id", async (c) => {
    const id = readParam(c, "id");
    const revocable = (await allRules(tenon)).some((one) => one.id === id && isRevocable(c, one));
    if (!revocable || !(await requestActs(c, tenon).revoke(id))) throw notFound("Remembered rule");
    return c.json({ revoked: id });
  });
}

/** Users who do not see everything see the rules that can apply to them. */
function isSeen(c: Context, { rule, sessionId }: ListedRule): boolean {
  const sees = sessionsSeenBy(c);
  if (sees === undefined) return true;
  return sessionId === undefined ? isForUser(c, rule) : sees(sessionId);
}

function isForUser(c: Context, { user }: PolicyRule): boolean {
  const name = requestUser(c)?.principal ?? "";
  return user === undefined || compileNames(typeof user === "string" ? [user] : user, String)(name);
}

/** Admins revoke every rule that was given as an answer; others those that were given for them alone. */
function isRevocable(c: Context, one: ListedRule): boolean {
  if (one.source !== "remembered" && one.source !== "session") return false;
  const user = requestUser(c);
  if (user === undefined || user.role === "admin") return true;
  const isOwn = one.sessionId === undefined ? one.rule.user !== undefined : true;
  return isOwn && isSeen(c, one) && isForUser(c, one.rule);
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
