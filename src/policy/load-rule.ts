import { checkExamples } from "./check-examples.js";
import { checkRule, isReservedId } from "./check-rule.js";
import { compileConditions, type CompiledRule } from "./compile-rule.js";
import type { PathSpace } from "./path-space.js";
import type { PolicyRule, RuleSource } from "./policy-rule.js";
import { printable } from "./printable.js";

/** Where a rule stands. */
export interface RulePlace {
  /** What the rule is called where it gives itself no id. */
  readonly place: string;
  readonly source: RuleSource;
  readonly sessionId: string | undefined;
  readonly space: PathSpace;
  /** One of the rules that Tenon comes with. */
  readonly own: boolean;
}

export interface LoadedRule {
  readonly compiled: CompiledRule | undefined;
  /** All that is wrong with the rule. */
  readonly faults: readonly string[];
}

/** Check a rule's shape, compile its patterns and try it on its own examples. */
export function loadRule(given: PolicyRule, { place, source, sessionId, space, own }: RulePlace): LoadedRule {
  const rule = copyRule(given);
  const shape = checkRule(rule);
  if (shape.length > 0) return { compiled: undefined, faults: shape };
  const { conditions, problems } = compileConditions(rule, { space, source, own });
  const compiled = { id: rule.id ?? place, source, rule, sessionId, conditions };
  const faults = problems.map(({ field, message }) => `has a bad ${field}: ${printable(message)}`);
  if (source !== "built-in" && isReservedId(compiled.id))
    faults.push("has an id that is reserved for Tenon's own");
  return { compiled, faults: faults.length > 0 ? faults : checkExamples(compiled, space) };
}

/** A copy is checked and kept, so that nobody can change a rule behind its compiled patterns. */
function copyRule(given: PolicyRule): PolicyRule {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const fields = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [
      key,
      Array.isArray(value) ? Object.freeze([...(value as unknown[])]) : (value as unknown),
    ]);
  return Object.freeze(Object.fromEntries(fields)) as PolicyRule;
}
