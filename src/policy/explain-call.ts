import { matchFacet } from "./compile-rule.js";
import type { Facet } from "./facets.js";
import { match } from "./match.js";
import type { PolicyCall } from "./policy-call.js";
import type { PolicyRule, RuleSource } from "./policy-rule.js";
import type { Subject } from "./subjects.js";
import { describe } from "./verdict.js";

/** One rule that has something to say about a call. */
export interface Explanation {
  readonly id: string;
  readonly source: RuleSource;
  readonly decision: PolicyRule["decision"];
  /** What of the call it is about, in words. */
  readonly about: string;
  /** `false` where the rule only may match. */
  readonly certain: boolean;
}

/** Every rule that matches or may match any facet of the call, in order of strength. */
export function explainCall(
  call: PolicyCall,
  { subject, facets }: { readonly subject: Subject; readonly facets: readonly Facet[] },
): readonly Explanation[] {
  return [...subject.rules, ...subject.builtIn].flatMap((rule) =>
    facets.flatMap((facet) => {
      const found = matchFacet(rule, facet, facets);
      const { id, source } = rule;
      const about = `${call.toolName}${describe(facet)}`;
      return found === match.no
        ? []
        : [{ id, source, decision: rule.rule.decision, about, certain: found === match.yes }];
    }),
  );
}
