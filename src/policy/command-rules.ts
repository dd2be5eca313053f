import { splitExceptions } from "../glob/name-glob.js";
import { namesResources, type CompiledRule } from "./compile-rule.js";
import { createScreen, type RuleScreen } from "./rule-screen.js";

/** The rules of a caller that are about paths, made ready for many of them: a search asks about each file. */
export interface CommandRules {
  /** Globs of the rules that deny or ask. */
  readonly patterns: readonly string[];
  /** All of them deny or ask. */
  readonly isPlain: boolean;
  /** Some of them keep paths from being read. */
  readonly bindReads: boolean;
  /** Picks those that can match. */
  readonly screen: RuleScreen;
}

/** `undefined` where no rule denies or asks about paths. */
export function compileCommandRules(all: readonly CompiledRule[]): CommandRules | undefined {
  const rules = all.filter((compiled) => compiled.rule.path !== undefined || isGeneralAllow(compiled));
  const tightening = rules.filter(({ rule }) => rule.decision !== "allow");
  if (tightening.length === 0) return undefined;
  return {
    patterns: [
      ...new Set(tightening.flatMap(({ rule }) => splitExceptions([rule.path ?? []].flat(), "**").included)),
    ],
    isPlain: rules.length === tightening.length,
    bindReads: tightening.some(({ rule }) => rule.access !== "write"),
    screen: createScreen(rules),
  };
}

function isGeneralAllow(compiled: CompiledRule): boolean {
  return compiled.rule.decision === "allow" && !namesResources(compiled);
}
