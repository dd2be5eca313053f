import { matchFacet } from "./compile-rule.js";
import type { Facet } from "./facets.js";
import { judgeFacet, type JudgeInput, describe } from "./judge-facet.js";
import { match } from "./match.js";
import type { PolicyCall } from "./policy-call.js";
import type { PolicyRule, RuleSource } from "./policy-rule.js";
import { joinWords } from "./split-words.js";
import type { Subject } from "./subjects.js";

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

/** What was decided about one simple command. */
export interface CommandVerdict {
  /** As it would run; empty where it could not be analyzed. */
  readonly command: string;
  readonly decision: PolicyRule["decision"];
  readonly rule: string;
  readonly source: string;
  readonly reason: string;
}

/** Judge every simple command of a shell line by itself. */
export function explainCommands(
  call: PolicyCall,
  bench: Omit<JudgeInput, "call">,
): readonly CommandVerdict[] {
  return bench.facets.flatMap((facet) => {
    const verdict = facet.kind === "command" ? judgeFacet(facet, { ...bench, call }) : undefined;
    if (facet.kind !== "command" || verdict === undefined) return [];
    const { behavior: decision, rule, source, why } = verdict;
    return [{ command: joinWords(facet.command.words), decision, rule, source, reason: why }];
  });
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
