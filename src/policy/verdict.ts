import type { AccessDecision } from "../contract/call.js";
import type { Facet } from "./facets.js";
import type { PolicyRule } from "./policy-rule.js";
import { printable } from "./printable.js";

/** What one rule says about one facet of a call. */
export interface Verdict {
  readonly behavior: PolicyRule["decision"];
  /** The rule's id. */
  readonly rule: string;
  readonly source: string;
  /** Finishes a sentence that begins with the tool and what it touches. */
  readonly why: string;
}

const verbs = { allow: "allows", ask: "requires consent for", deny: "denies" } as const;
const strictness = { allow: 0, ask: 1, deny: 2 } as const;

/** Whether the first verdict is stricter than the second. */
export function isStricter(one: Verdict, other: Verdict): boolean {
  return strictness[one.behavior] > strictness[other.behavior];
}

/** Say a verdict as a decision, in plain words. */
export function toDecision(verdict: Verdict, toolName: string, facet: Facet): AccessDecision {
  const why = verdict.why === "" ? "" : `: ${verdict.why}`;
  return {
    behavior: verdict.behavior,
    rule: verdict.rule,
    source: verdict.source,
    reason: `the rule "${verdict.rule}" ${verbs[verdict.behavior]} ${toolName}${describe(facet)}${why}`,
  };
}

/** What of a call is meant, as a phrase behind the tool's name. */
export function describe(facet: Facet): string {
  switch (facet.kind) {
    case "path":
      return ` ${facet.write ? "changing" : "reading"} ${printable(facet.view.text, 200)}`;
    case "host":
      return ` reaching ${printable(facet.port === undefined ? facet.name : `${facet.name}:${facet.port}`, 200)}`;
    case "command":
      if (facet.command.words.length === 0)
        return facet.command.denied === undefined
          ? " running a command that could not be analyzed"
          : " running this line";
      return ` running \`${printable(facet.command.words.join(" "), 200)}\``;
    default:
      return "";
  }
}
