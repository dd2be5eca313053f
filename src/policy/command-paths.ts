import type { CommandPaths, PathRuling } from "../contract/session.js";
import { matchFacet, type CompiledRule } from "./compile-rule.js";
import { facetsOf, type Facet, type PathFacet } from "./facets.js";
import { match } from "./match.js";
import { viewPath, type PathSpace } from "./path-space.js";
import type { PolicyCall } from "./policy-call.js";
import type { Subject } from "./subjects.js";

/** The part of `CommandPaths` that the rules alone decide. */
export type PathRulings = Pick<CommandPaths, "patterns" | "judge">;

/**
 * The rules about paths as they bind the commands of a call: every rule that concerns the tool that runs
 * them, so one without `tool` or whose `tool` covers `shell_exec`. They are judged as for any tool, with one
 * difference: a rule that asks without naming a path was answered for the call, and says nothing about paths
 * that nobody was shown. `undefined` where no rule denies or asks about paths.
 */
export function commandPaths(call: PolicyCall, subject: Subject, space: PathSpace): PathRulings | undefined {
  const rules = subject.commandRules();
  if (rules === undefined) return undefined;
  const { patterns, isPlain, screen } = rules;
  const others = facetsOf(call, space).filter(({ kind }) => kind !== "path");
  return {
    patterns,
    judge(path, access) {
      const view = viewPath(path, space);
      const facet = {
        kind: "path",
        view,
        tree: false,
        write: access === "write",
        alone: true,
        weak: true,
      } as const;
      const rule = firstMatch(screen.select(facet), facet, others);
      if (rule === undefined) return undefined;
      const below = isPlain && rule.conditions.path?.covers(facet) === true;
      return { decision: rule.rule.decision, rule: rule.id, below } satisfies PathRuling;
    },
  };
}

/** Which paths a call may see on a walk, or read by name; `undefined` where no rule about reading stands in the way. */
export function pathFilter(
  call: PolicyCall,
  subject: Subject,
  space: PathSpace,
): ((path: string) => boolean) | undefined {
  const bindReads = subject.commandRules()?.bindReads === true;
  const rulings = bindReads ? commandPaths(call, subject, space) : undefined;
  if (rulings === undefined) return undefined;
  const decide = (path: string): PathRuling["decision"] | undefined => rulings.judge(path, "read")?.decision;
  const named = [...call.reads, ...call.writes].flatMap((resource) => {
    const path = "path" in resource ? resource.path : "tree" in resource ? resource.tree : undefined;
    return path !== undefined && decide(path) === "ask" ? [viewPath(path, space).text] : [];
  });
  return (path) => {
    const decision = decide(path);
    if (decision !== "ask") return decision !== "deny";
    const { text } = viewPath(path, space);
    return named.some((each) => text === each || text.startsWith(`${each}/`));
  };
}

function firstMatch(
  rules: readonly CompiledRule[],
  facet: PathFacet,
  others: readonly Facet[],
): CompiledRule | undefined {
  const all = [...others, facet];
  return rules.find((rule) => {
    const found = matchFacet(rule, facet, all);
    return rule.rule.decision === "allow" ? found === match.yes : found !== match.no;
  });
}
