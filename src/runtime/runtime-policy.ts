import type { ApprovalLog } from "../call/ask-consent.js";
import type { RuleGroup } from "../config/load-config.js";
import type { ResolvedConfig } from "../config/resolve-config.js";
import type { Json } from "../contract/json.js";
import { createPolicy, type Policy } from "../policy/create-policy.js";
import type { PolicyRule } from "../policy/policy-rule.js";
import type { LazyState } from "./lazy-state.js";

export interface RuntimePolicyOptions {
  readonly config: ResolvedConfig;
  readonly rules: readonly RuleGroup[];
  readonly workspace: string;
  readonly state: LazyState;
}

/** The policy together with what it remembers in the state. */
export interface RuntimePolicy {
  readonly policy: Policy;
  readonly approvalLog: ApprovalLog;
  /** Keep a rule beyond this process; it counts at once. */
  readonly remember: (rule: PolicyRule) => Promise<string>;
  /** Forget a remembered rule. */
  readonly revoke: (id: string) => Promise<boolean>;
  /** Take the rules that earlier runs remembered, and close requests they left open as denied. */
  readonly load: () => Promise<void>;
}

/** Wire the pure policy to the configuration and the state. */
export function createRuntimePolicy({
  config,
  rules,
  workspace,
  state,
}: RuntimePolicyOptions): RuntimePolicy {
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
    approvalLog: {
      open: async (request) => (await state.open()).approvals.open(request),
      resolve: async (id, answer) => void (await (await state.open()).approvals.resolve(id, answer)),
    },
    async remember(rule) {
      const stored = await (await state.open()).rules.add(rule as unknown as Json);
      return policy.addRule("remembered", { ...rule, id: stored.id });
    },
    async revoke(id) {
      policy.removeRule(id);
      return (await state.open()).rules.remove(id);
    },
    async load() {
      const { rules: stored, approvals } = await state.open();
      for (const { id, rule } of await stored.list())
        policy.addRule("remembered", { ...(rule as unknown as PolicyRule), id });
      await approvals.expireAll("Tenon was restarted before anybody answered.");
    },
  };
}
