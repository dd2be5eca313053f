import type { Json } from "../../contract/json.js";
import type { Policy } from "../../policy/create-policy.js";
import type { PolicyRule } from "../../policy/policy-rule.js";
import type { LazyState } from "../state/lazy-state.js";
import { isSessionRule, newSessionRuleId, sessionOf, toStoredRule } from "../approvals/session-rules.js";

/** The stored environment of a named session. */
export interface NamedSession {
  readonly env: Readonly<Record<string, string>>;
  readonly setVariable: (key: string, value: string) => Promise<void>;
}

interface StoredSession {
  readonly env: Map<string, string>;
  readonly rules: PolicyRule[];
}

/** Named sessions outlive the process: their environment and the rules for them are stored. */
export class NamedSessions {
  readonly #state: LazyState;
  readonly #policy: Policy;
  readonly #kept = new Map<string, StoredSession>();
  #saving: Promise<void> = Promise.resolve();

  constructor(state: LazyState, policy: Policy) {
    this.#state = state;
    this.#policy = policy;
  }

  async open(name: string): Promise<NamedSession> {
    const kept = this.#kept.get(name) ?? (await this.#load(name));
    this.#kept.set(name, kept);
    return {
      env: Object.fromEntries(kept.env),
      setVariable: (key, value) => {
        kept.env.set(key, value);
        return this.#save(name, kept);
      },
    };
  }

  /** An answer "for this session": applies at once, and again when a session of that name is opened later. */
  async addRule(sessionId: string, rule: PolicyRule): Promise<string> {
    const id = newSessionRuleId();
    // Stored first, where every process sees it and can revoke it.
    await (await this.#state.open()).rules.add(toStoredRule(sessionId, rule), id);
    return this.#policy.addRule("session", { ...rule, id }, { sessionId });
  }

  /** An unnamed session has ended: remove its rules. */
  async endSession(sessionId: string): Promise<void> {
    if (this.#kept.has(sessionId) || !this.#state.exists()) return;
    const { rules } = await this.#state.open();
    for (const { id, rule } of await rules.list()) {
      if (isSessionRule(id) && sessionOf(rule) === sessionId) await rules.remove(id);
    }
  }

  async #load(name: string): Promise<StoredSession> {
    const stored = this.#state.exists() ? await (await this.#state.open()).sessions.load(name) : undefined;
    const rules = ((stored?.data as { rules?: unknown } | null)?.rules ?? []) as PolicyRule[];
    for (const rule of rules) this.#policy.addRule("session", rule, { sessionId: name });
    await this.#loadRules(name);
    return { env: new Map(Object.entries(stored?.env ?? {})), rules };
  }

  async #loadRules(name: string): Promise<void> {
    if (!this.#state.exists()) return;
    const known = new Set(this.#policy.rules().map(({ id }) => id));
    for (const { id, rule } of await (await this.#state.open()).rules.list()) {
      if (!isSessionRule(id) || sessionOf(rule) !== name || known.has(id)) continue;
      const { session: _session, ...own } = rule as unknown as PolicyRule;
      this.#policy.addRule("session", { ...own, id }, { sessionId: name });
    }
  }

  /** Saves run one after another, each with the current values. */
  #save(name: string, kept: StoredSession): Promise<void> {
    const saving = this.#saving.then(async () => {
      const { sessions } = await this.#state.open();
      const data = { rules: kept.rules } as unknown as Json;
      await sessions.save(name, { env: Object.fromEntries(kept.env), data });
    });
    this.#saving = saving.catch(() => undefined); // the caller gets the error
    return saving;
  }
}
