import { namesResources, type CompiledRule } from "./compile-rule.js";
import type { Facet } from "./facets.js";
import { shapeOf } from "./path-space.js";

/** Selects the rules that can match a facet by the names in it: `docs/**` needs a name "docs". */
export interface RuleScreen {
  select(facet: Facet): readonly CompiledRule[];
}

// Below this many rules, and beyond this many hits, looking at all of them is as fast.
const tooFew = 8;
const tooMany = 16;

/** Sort rules by the names that they need, keeping their order. */
export function createScreen(rules: readonly CompiledRule[]): RuleScreen {
  if (rules.length < tooFew) return { select: () => rules };
  const paths = createIndex(rules, "path");
  const commands = createIndex(rules, "command");
  return {
    select(facet) {
      const keys = keysOf(facet);
      if (keys === undefined) return rules;
      return (facet.kind === "path" ? paths : commands)(keys);
    },
  };
}

type Index = (keys: readonly string[]) => readonly CompiledRule[];

function createIndex(rules: readonly CompiledRule[], kind: "path" | "command"): Index {
  const byKey = new Map<string, number[]>();
  const fixed: number[] = [];
  for (const [at, rule] of rules.entries()) {
    const keys = neededKeys(rule, kind);
    if (keys === undefined) fixed.push(at);
    else for (const key of new Set(keys)) listFor(byKey, key).push(at);
  }
  const always = fixed.map((at) => rules[at]!);
  return (keys) => {
    let hits: number[] | undefined;
    for (const key of keys) {
      const found = byKey.get(key);
      if (found === undefined) continue;
      if (found.length > tooMany) return rules;
      (hits ??= []).push(...found);
    }
    if (hits === undefined) return always;
    return [...new Set([...fixed, ...hits])].sort((one, other) => one - other).map((at) => rules[at]!);
  };
}

function listFor(lists: Map<string, number[]>, key: string): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** The names of which one must be there; `undefined` where a rule needs to be looked at anyway. */
function neededKeys(rule: CompiledRule, kind: "path" | "command"): readonly string[] | undefined {
  const condition = rule.conditions[kind];
  if (condition !== undefined) return condition.keys;
  return namesResources(rule) ? [] : undefined;
}

/** The names in a facet; `undefined` where rules could see others in it. */
function keysOf(facet: Facet): readonly string[] | undefined {
  if (facet.kind === "command") {
    return facet.command.known ? [facet.command.words[0] ?? "", facet.program] : undefined;
  }
  if (facet.kind !== "path" || facet.tree || facet.view.space.caseInsensitive) return undefined;
  const { relative } = facet.view.shapes.exact;
  const plain =
    relative !== undefined && relative.length > 0 && shapeOf(facet.view, "folded").relative === relative;
  return plain ? [...relative, ...relative.flatMap(extensionOf)] : undefined;
}

function extensionOf(name: string): string[] {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? [name.slice(dot)] : [];
}
