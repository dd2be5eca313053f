import { randomUUID } from "node:crypto";
import type { Json } from "../../contract/json.js";
import type { StoredRule } from "../../contract/ports/state.js";
import { escapeWildcard, unescapeWildcard } from "../../glob/wildcard.js";
import type { Policy } from "../../policy/create-policy.js";
import type { PolicyRule } from "../../policy/policy-rule.js";

/* Rules that were given for one session lie among the remembered ones, under ids of their own. */

const prefix = "session-";

export function newSessionRuleId(): string {
  return prefix + randomUUID();
}

export function isSessionRule(id: string): boolean {
  return id.startsWith(prefix);
}

/** The rule as the state keeps it: it names its session. */
export function toStoredRule(sessionId: string, rule: PolicyRule): Json {
  return { ...rule, session: escapeWildcard(sessionId) } as unknown as Json;
}

/** The session that a kept rule was given for. */
export function sessionOf(rule: Json): string | undefined {
  const { session } = rule as unknown as PolicyRule;
  return typeof session === "string" ? unescapeWildcard(session) : undefined;
}

/** Take over what other processes remembered and revoked, so that a rule counts or not in all of them. */
export async function syncRules(policy: Policy, list: () => Promise<readonly StoredRule[]>): Promise<void> {
  // Looked at before the list is read: what is added meanwhile is in neither.
  const before = policy.rules();
  const stored = await list();
  const kept = new Set(stored.map(({ id }) => id));
  const known = new Set(policy.rules().map(({ id }) => id));
  for (const { id, source } of before) {
    const shared = source === "remembered" || (source === "session" && isSessionRule(id));
    if (shared && !kept.has(id)) policy.removeRule(id);
  }
  for (const { id, rule } of stored) {
    if (isSessionRule(id) || known.has(id)) continue;
    policy.addRule("remembered", { ...(rule as unknown as PolicyRule), id });
  }
}
