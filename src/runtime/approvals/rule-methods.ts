import type { Acts } from "../audit/audited-action.js";
import type { RuntimePolicy } from "./runtime-policy.js";
import type { Tenon } from "../tenon.js";

/** How a person changes the remembered rules. */
export type RuleMethods = Pick<Tenon, "remember" | "revoke">;

/** Make them of the policy; each change is on record. */
export function ruleMethods({
  policy,
  acts,
}: {
  readonly policy: RuntimePolicy;
  readonly acts: Acts;
}): RuleMethods {
  return {
    remember: (rule) => acts({ name: "policy_remember", arguments: rule, run: () => policy.remember(rule) }),
    revoke: (id) => acts({ name: "policy_revoke", arguments: { id }, run: () => policy.revoke(id) }),
  };
}
