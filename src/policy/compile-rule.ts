import { compileCommands, type CommandCondition } from "./command-condition.js";
import type { Facet, PathFacet } from "./facets.js";
import { compileHosts, type HostCondition } from "./host-condition.js";
import { both, match, type Match } from "./match.js";
import { compilePathCondition, lazyPathCondition, type PathCondition } from "./path-condition.js";
import type { PathSpace } from "./path-space.js";
import type { PolicyRule, RuleSource } from "./policy-rule.js";
import { compileNames, type NameCondition } from "../glob/name-glob.js";
import { PatternError } from "../glob/wildcard.js";

/** Who calls what: the part of a call that stays the same from call to call. */
export interface Caller {
  readonly toolName: string;
  readonly aliases?: readonly string[] | undefined;
  readonly agent: string;
  readonly userId?: string | undefined;
  readonly client?: string | undefined;
  /** @default "admin" */
  readonly role?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly sessionId: string;
}

export interface CompiledRule {
  readonly id: string;
  readonly source: RuleSource;
  readonly rule: PolicyRule;
  readonly sessionId: string | undefined;
  readonly conditions: Conditions;
}

interface Conditions {
  readonly tool: NameCondition | undefined;
  readonly agent: NameCondition | undefined;
  readonly user: NameCondition | undefined;
  readonly client: NameCondition | undefined;
  readonly role: NameCondition | undefined;
  readonly endpoint: NameCondition | undefined;
  readonly session: NameCondition | undefined;
  readonly path: PathCondition | undefined;
  readonly access: "read" | "write" | undefined;
  readonly command: CommandCondition | undefined;
  readonly host: HostCondition | undefined;
}

/** What was found wrong with one field. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Compile the patterns of a rule whose shape was checked; every bad pattern is reported. */
export function compileConditions(
  rule: PolicyRule,
  options: { readonly space: PathSpace; readonly source: RuleSource; readonly own: boolean },
): { readonly conditions: Conditions; readonly problems: readonly FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const allows = rule.decision === "allow";
  const { space } = options;
  // Built-in rules guard what runs code later; no spelling of such a path may slip through.
  const ignoreCase = options.source === "built-in" || space.caseInsensitive;
  // Tenon's own patterns are numerous and valid, so they are compiled on the first write.
  const compilePath = options.own ? lazyPathCondition : compilePathCondition;
  const take = <T>(field: keyof PolicyRule, compile: (patterns: readonly string[]) => T): T | undefined => {
    const value = rule[field];
    if (value === undefined) return undefined;
    const patterns = (Array.isArray(value) ? value : [value]) as readonly string[];
    try {
      return compile(patterns);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      problems.push({ field, message: badPattern(patterns, compile) ?? error.message });
      return undefined;
    }
  };
  const conditions = {
    tool: take("tool", (patterns) => compileNames(patterns, foldToolName)),
    agent: take("agent", compileNames),
    user: take("user", compileNames),
    client: take("client", compileNames),
    role: take("role", compileNames),
    endpoint: take("endpoint", compileNames),
    session: take("session", compileNames),
    path: take("path", (patterns) => compilePath(patterns, { space, allows, ignoreCase })),
    access: rule.access,
    command: take("command", (lines) =>
      compileCommands(lines, { allows, ignoreCase, exact: rule.exact === true, given: rule.given }),
    ),
    host: take("host", (patterns) => compileHosts(patterns, allows)),
  };
  return { conditions, problems };
}

/** Tool names are unique in this form, so a rule in another case still means the same tool. */
function foldToolName(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** Whether the rule is about this caller and tool, whatever the call touches. */
export function concerns({ conditions, rule, sessionId }: CompiledRule, caller: Caller): boolean {
  if (sessionId !== undefined && sessionId !== caller.sessionId) return false;
  if (conditions.agent !== undefined && !conditions.agent(caller.agent)) return false;
  if (conditions.role !== undefined && !conditions.role(caller.role ?? "admin")) return false;
  if (conditions.session !== undefined && !conditions.session(caller.sessionId)) return false;
  const allows = rule.decision === "allow";
  if (!fits(conditions.user, caller.userId, allows)) return false;
  if (!fits(conditions.client, caller.client, allows)) return false;
  if (!fits(conditions.endpoint, caller.endpoint, allows)) return false;
  if (conditions.tool === undefined) return true;
  return conditions.tool(caller.toolName) || (caller.aliases ?? []).some(conditions.tool);
}

/** An unknown user, client or endpoint does not match "anybody but guest": a rule about them never allows it. */
function fits(condition: NameCondition | undefined, name: string | undefined, allows: boolean): boolean {
  if (condition === undefined) return true;
  return (name !== undefined || !allows) && condition(name ?? "");
}

/** Whether the rule depends on what a call touches. */
export function namesResources({ conditions }: Pick<CompiledRule, "conditions">): boolean {
  return conditions.path !== undefined || conditions.command !== undefined || conditions.host !== undefined;
}

/** Whether the rule names the kind of thing that the facet is. */
export function namesKind({ conditions }: CompiledRule, kind: Facet["kind"]): boolean {
  return kind !== "call" && conditions[kind] !== undefined;
}

/** Match a rule that concerns the caller against one facet of a call. */
export function matchFacet(rule: CompiledRule, facet: Facet, all: readonly Facet[]): Match {
  const { conditions } = rule;
  let found = matchOne(conditions, facet);
  if (found === match.no) return namesResources(rule) ? match.no : match.yes;
  for (const kind of ["path", "command", "host"] as const) {
    if (kind === facet.kind || conditions[kind] === undefined) continue;
    found = both(found, matchKind(rule, kind, all));
    if (found === match.no) return found;
  }
  return found;
}

/** An allow rule must hold for all things of the kind, any other rule for one of them. */
function matchKind({ conditions, rule }: CompiledRule, kind: Facet["kind"], all: readonly Facet[]): Match {
  const allows = rule.decision === "allow";
  let found: Match | undefined;
  for (const facet of all) {
    if (facet.kind !== kind || isAside(facet, conditions, allows)) continue;
    const one = matchOne(conditions, facet);
    if (found === undefined || (allows ? one < found : one > found)) found = one;
  }
  return found ?? match.no;
}

function isAside(facet: Facet, { access }: Conditions, allows: boolean): boolean {
  if (facet.kind !== "path") return false;
  return !hasAccess(facet, access) || (allows && facet.weak);
}

function matchOne(conditions: Conditions, facet: Facet): Match {
  switch (facet.kind) {
    case "path":
      return conditions.path !== undefined && hasAccess(facet, conditions.access)
        ? conditions.path.test(facet)
        : match.no;
    case "command":
      return conditions.command?.test(facet) ?? match.no;
    case "host":
      return conditions.host?.(facet) ?? match.no;
    default:
      return match.no;
  }
}

function hasAccess(facet: PathFacet, access: "read" | "write" | undefined): boolean {
  return access === undefined || (access === "write") === facet.write;
}

/** The first pattern of the list that fails by itself, with its reason. */
function badPattern(
  patterns: readonly string[],
  compile: (patterns: readonly string[]) => unknown,
): string | undefined {
  for (const pattern of patterns) {
    try {
      compile([pattern]);
    } catch (error) {
      const shown = pattern.length > 80 ? `${pattern.slice(0, 80)}…` : pattern;
      if (error instanceof PatternError) return `"${shown}": ${error.message}`;
    }
  }
  return undefined;
}
