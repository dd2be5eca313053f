import type { createDenyRules, Location } from "./deny-rules.js";
import { type PathRefusal, refusal } from "./path-verdict.js";

/** The rules that deny paths, by what they say. */
export interface DeniedRules {
  readonly state: ReturnType<typeof createDenyRules>;
  readonly forbidden: ReturnType<typeof createDenyRules>;
  readonly protected: ReturnType<typeof createDenyRules>;
  readonly unprotected: ReturnType<typeof createDenyRules>;
}

/** Why a path may neither be read nor changed. */
export function refuseUse({ state, forbidden }: DeniedRules, location: Location): PathRefusal | undefined {
  if (state.match(location) !== undefined) return refusal("PATH_FORBIDDEN", "stateDir", STATE);
  const rule = forbidden.match(location);
  if (rule === undefined) return undefined;
  return refusal("PATH_FORBIDDEN", `forbiddenPaths: ${rule}`, `is forbidden by the rule "${rule}"`);
}

/** Why a path that may be read may not be changed. */
export function refuseChange(rules: DeniedRules, location: Location): PathRefusal | undefined {
  const rule = rules.protected.match(location);
  if (rule === undefined || rules.unprotected.match(location) !== undefined) return undefined;
  const reason = `is protected from changes by the rule "${rule}"`;
  return refusal("PATH_FORBIDDEN", `protected: ${rule}`, reason);
}

const STATE = "belongs to Tenon's own state";

/** Why what is below a path keeps it from being removed. */
export function judgeBelow(denied: DeniedRules, location: Location): PathRefusal | undefined {
  if (denied.state.matchBelow(location) !== undefined) {
    return refusal("PATH_FORBIDDEN", "stateDir", `contains what ${STATE}`);
  }
  const rule = denied.forbidden.matchBelow(location) ?? denied.protected.matchBelow(location);
  if (rule === undefined) return undefined;
  return refusal("PATH_FORBIDDEN", rule, `contains what the rule "${rule}" protects from being removed`);
}
