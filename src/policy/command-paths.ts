import type { Resource } from "../contract/resources.js";
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
  const decideName = (path: string): PathRuling["decision"] | undefined =>
    rulings.judge(path, "read")?.decision;
  const decide = (path: string): PathRuling["decision"] | undefined => {
    const names = call.namesOf?.(path, false) ?? [];
    return names.length === 0 ? decideName(path) : strictest([path, ...names].map(decideName));
  };
  const named = [...call.reads, ...call.writes].flatMap((resource) => {
    const path = pathIn(resource);
    return path !== undefined && decide(path) === "ask" ? [viewPath(path, space).text] : [];
  });
  return (path) => {
    const decision = decide(path);
    if (decision !== "ask") return decision !== "deny";
    const { text } = viewPath(path, space);
    return named.some((each) => isAtOrBelow(text, each));
  };
}

/**
 * Whether a call may change a path that it leads to when it comes to it: one that it was judged for, or that no rule
 * denies or asks about.
 */
export function mayChange(
  call: PolicyCall,
  path: string,
  { subject, space }: { readonly subject: Subject; readonly space: PathSpace },
): boolean {
  const { text } = viewPath(path, space);
  const isJudged = call.writes.some((resource) => {
    const named = pathIn(resource);
    const own = named === undefined ? undefined : viewPath(named, space).text;
    return own === text || (own !== undefined && "tree" in resource && isAtOrBelow(text, own));
  });
  if (isJudged) return true;
  const rulings = commandPaths(call, subject, space);
  const careful = subject.builtIn.filter(({ rule }) => rule.decision === "ask");
  return [path, ...(call.namesOf?.(path, false) ?? [])].every((name) => {
    const decision = rulings?.judge(name, "write")?.decision;
    if (decision !== undefined) return decision === "allow";
    const view = viewPath(name, space);
    const facet = { kind: "path", view, tree: false, write: true, alone: true, weak: true } as const;
    return careful.every((rule) => matchFacet(rule, facet, [facet]) !== match.yes);
  });
}

function pathIn(resource: Resource): string | undefined {
  if ("path" in resource) return resource.path;
  return "tree" in resource ? resource.tree : undefined;
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || folder === "." || path.startsWith(`${folder}/`);
}

function strictest(
  decisions: readonly (PathRuling["decision"] | undefined)[],
): PathRuling["decision"] | undefined {
  return (["deny", "ask", "allow"] as const).find((each) => decisions.includes(each));
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
