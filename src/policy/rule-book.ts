import { builtInRules } from "./built-in-rules.js";
import type { CompiledRule } from "./compile-rule.js";
import { loadRule } from "./load-rule.js";
import type { PathSpace } from "./path-space.js";
import { PolicyError, type RuleProblem } from "./policy-error.js";
import { ruleSources, type PolicyRule, type RuleSource } from "./policy-rule.js";
import { printable } from "./printable.js";

/** All rules of a policy, by source, each checked and compiled once. */
export interface RuleBook {
  /** Every rule in order of strength, the built-in ones last. */
  all(): readonly CompiledRule[];
  /** Add a rule before the others of its source, so that the latest one decides. */
  add(source: RuleSource, rule: PolicyRule, sessionId?: string): CompiledRule;
  remove(id: string): boolean;
  removeSession(sessionId: string): boolean;
}

type Sources = Partial<Record<RuleSource, readonly PolicyRule[]>>;

/** Load rules; throws a `PolicyError` that lists all that is wrong with any of them. */
export function createRuleBook(sources: Sources, space: PathSpace): RuleBook {
  const bySource = new Map<string, CompiledRule[]>(ruleSources.map((source) => [source, []]));
  const load = createRuleLoader(space);

  const own = builtInRules.map((rule) => load("built-in", rule));
  const given = Object.entries(sources).flatMap(([source, rules]) =>
    (rules ?? []).map((rule) => load(source, rule)),
  );
  const loaded = [...own, ...given];
  const problems = loaded.flatMap((one) => one.problems);
  if (problems.length > 0) throw new PolicyError(problems);
  for (const { compiled } of loaded)
    if (compiled !== undefined) bySource.get(compiled.source)?.push(compiled);

  const removeWhere = (test: (rule: CompiledRule) => boolean): boolean => {
    let removed = false;
    for (const [source, rules] of bySource) {
      const kept = rules.filter((rule) => !test(rule));
      if (kept.length < rules.length) removed = true;
      bySource.set(source, kept);
    }
    return removed;
  };
  const all = () => ruleSources.flatMap((source) => bySource.get(source) ?? []);
  return {
    all,
    add(source, rule, sessionId) {
      const taken = new Set(all().map(({ id }) => id));
      const { compiled, problems } = load(source, rule, { sessionId, taken });
      if (compiled === undefined) throw new PolicyError(problems);
      bySource.get(source)?.unshift(compiled);
      return compiled;
    },
    remove: (id) => removeWhere((rule) => rule.id === id && rule.source !== "built-in"),
    removeSession: (sessionId) => removeWhere((rule) => rule.sessionId === sessionId),
  };
}

type RuleLoader = (
  source: string,
  rule: PolicyRule,
  scope?: { readonly sessionId: string | undefined; readonly taken: ReadonlySet<string> },
) => { readonly compiled: CompiledRule | undefined; readonly problems: readonly RuleProblem[] };

/** Loads rules one by one and gives each a unique name. */
function createRuleLoader(space: PathSpace): RuleLoader {
  const numbers = new Map<string, number>();
  const loaded = new Set<string>();
  const nameFor = (source: string, taken: ReadonlySet<string>): string => {
    for (;;) {
      const number = (numbers.get(source) ?? 0) + 1;
      numbers.set(source, number);
      if (!taken.has(`${source}#${number}`)) return `${source}#${number}`;
    }
  };
  return (source, rule, scope) => {
    const taken = scope?.taken ?? loaded;
    if (!isSource(source)) {
      return {
        compiled: undefined,
        problems: [{ rule: printable(source, 80), message: "is not a source of rules" }],
      };
    }
    const own = builtInRules.includes(rule);
    const place = own ? "built-in" : nameFor(source, taken);
    const { compiled, faults } = loadRule(rule, { place, source, sessionId: scope?.sessionId, space, own });
    const name =
      compiled === undefined || compiled.id === place ? place : `${place} "${printable(compiled.id, 80)}"`;
    const problems = faults.map((message) => ({ rule: name, message }));
    if (compiled !== undefined && taken.has(compiled.id)) {
      problems.push({ rule: name, message: "has the id of another rule" });
    }
    if (compiled === undefined || problems.length > 0) return { compiled: undefined, problems };
    if (scope === undefined) loaded.add(compiled.id);
    return { compiled, problems };
  };
}

function isSource(source: string): source is RuleSource {
  return (ruleSources as readonly string[]).includes(source);
}
