import type { RuntimeBase } from "../state/runtime-base.js";
import type { Json } from "../../contract/json.js";
import { createPolicy, type ListedRule, type Policy } from "../../policy/create-policy.js";
import type { PolicyRule } from "../../policy/policy-rule.js";
import { isSessionRule, sessionOf, syncRules } from "./session-rules.js";

/** The policy together with the rules saved in the state. */
export interface RuntimePolicy {
  readonly policy: Policy;
  /** Save a rule beyond this process; it applies at once. */
  readonly remember: (rule: PolicyRule) => Promise<string>;
  /** Remove a saved rule. */
  readonly revoke: (id: string) => Promise<boolean>;
  /** Apply what other processes saved and revoked. */
  readonly sync: () => Promise<void>;
  /** Rules of sessions, in any process. */
  readonly sessionRules: () => Promise<readonly ListedRule[]>;
  /** Load the rules of earlier runs, and close the requests they left open as denied. */
  readonly load: () => Promise<void>;
}

/** Connect the pure policy to the configuration and the state. */
export function createRuntimePolicy({ config, rules, workspace, state }: RuntimeBase): RuntimePolicy {
  const policy = createPolicy({
    mode: config.mode,
    workspace,
    securityLevel: config.securityLevel,
    capabilities: config.capabilities,
    allowedCommands: config.tools.allowedCommands,
    sources: Object.fromEntries(rules.map(({ source, rules: own }) => [source, own])),
  });
  return {
    policy,
    async remember(rule) {
      const stored = await (await state.open()).rules.add(rule as unknown as Json);
      return policy.addRule("remembered", { ...rule, id: stored.id });
    },
    async revoke(id) {
      policy.removeRule(id);
      return (await state.open()).rules.remove(id);
    },
    async sync() {
      if (state.exists()) await syncRules(policy, async () => (await state.open()).rules.list());
    },
    async sessionRules() {
      if (!state.exists()) return [];
      const { rules: stored } = await state.open();
      return (await stored.list())
        .filter(({ id }) => isSessionRule(id))
        .map(({ id, rule }) => {
          const { session: _session, ...own } = rule as unknown as PolicyRule;
          return { id, source: "session", rule: own, sessionId: sessionOf(rule) };
        });
    },
    async load() {
      const { rules: stored, approvals } = await state.open();
      for (const { id, rule } of await stored.list())
        if (!isSessionRule(id)) policy.addRule("remembered", { ...(rule as unknown as PolicyRule), id });
      await approvals.expireAll("Tenon was restarted before anybody answered.");
    },
  };
}
