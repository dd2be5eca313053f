import { randomUUID } from "node:crypto";
import type { Json } from "../../contract/json.js";
import type { StoredRule } from "../../contract/ports/state.js";
import { escapeWildcard, unescapeWildcard } from "../../glob/wildcard.js";
import type { Policy } from "../../policy/create-policy.js";
import type { PolicyRule } from "../../policy/policy-rule.js";

/* Rules for one session are stored with the saved rules, under ids with a prefix. */

const prefix = "session-";

export function newSessionRuleId(): string {
  return prefix + randomUUID();
}

export function isSessionRule(id: string): boolean {
  return id.startsWith(prefix);
}

/** The rule as it is stored: with its session. */
export function toStoredRule(sessionId: string, rule: PolicyRule): Json {
  return { ...rule, session: escapeWildcard(sessionId) } as unknown as Json;
}

/** The session of a stored rule. */
export function sessionOf(rule: Json): string | undefined {
  const { session } = rule as unknown as PolicyRule;
  return typeof session === "string" ? unescapeWildcard(session) : undefined;
}

/** Apply what other processes saved and revoked, so that all of them use the same rules. */
export async function syncRules(policy: Policy, list: () => Promise<readonly StoredRule[]>): Promise<void> {
  // Read before the stored list: rules added in the meantime are in neither.
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
