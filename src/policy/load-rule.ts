import type { Role } from "../contract/ports/access.js";
import { compileConditions, type CompiledRule, concerns, matchFacet } from "./compile-rule.js";
import type { PathSpace } from "./path-space.js";
import type { PolicyRule, RuleSource, PolicyExample } from "./policy-rule.js";
import { printable } from "./printable.js";
import { isRecord } from "../contract/is-record.js";
import { nearest } from "../schema/nearest.js";
import { facetsOf, type Facet } from "./facets.js";
import { match } from "./match.js";
import type { PolicyCall, PolicyCommand } from "./policy-call.js";
import { splitCommands } from "./split-words.js";
import { PatternError, unescapeWildcard } from "../glob/wildcard.js";

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
  const faults = problems.map(({ field, message }) => `has an invalid ${field}: ${printable(message)}`);
  // Whether decisions carry this name where no rule of a person's decided.
  if (source !== "built-in" && RESERVED.test(compiled.id))
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

const textFields = [
  "tool",
  "agent",
  "user",
  "client",
  "role",
  "endpoint",
  "session",
  "path",
  "command",
  "host",
] as const;

const fields = new Set<string>([
  "id",
  "decision",
  "approvals",
  ...textFields,
  "access",
  "exact",
  "given",
  "reason",
  "match",
  "notMatch",
] satisfies (keyof PolicyRule)[]);

/** Look at the shape of a rule; a mistyped field would make it wider than meant, so none is ignored. */
function checkRule(value: unknown): readonly string[] {
  if (!isRecord(value)) return ["is not an object"];
  return [
    ...unknownFields(value),
    ...checkWords(value),
    ...textFields.flatMap((field) => checkTexts(field, value[field])),
    ...checkQualifiers(value),
    ...checkExampleShapes("match", value["match"]),
    ...checkExampleShapes("notMatch", value["notMatch"]),
  ];
}

function unknownFields(rule: Record<string, unknown>): string[] {
  const unknown = Object.keys(rule).filter((key) => !fields.has(key));
  return unknown.map((key) => {
    const meant = nearest(key, fields);
    return `has an unknown field "${key.slice(0, 80)}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
  });
}

function checkWords({ id, decision, reason }: Record<string, unknown>): string[] {
  const problems: string[] = [];
  if (decision !== "allow" && decision !== "ask" && decision !== "deny") {
    problems.push('needs a decision: "allow", "ask" or "deny"');
  }
  if (id !== undefined && !isText(id, maxIdLength))
    problems.push(`has an id that is not a string of 1 to ${maxIdLength} characters`);
  if (reason !== undefined && !isText(reason, maxReasonLength)) {
    problems.push(`has a reason that is not a string of 1 to ${maxReasonLength} characters`);
  }
  return problems;
}

const maxIdLength = 256;
const maxReasonLength = 4096;
const maxPatterns = 1000;

const RESERVED = /^(?:built-in:|mode:|capability$|security-level$)/;

function checkTexts(field: string, value: unknown): string[] {
  if (value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) return [`has an empty list as ${field}, which would match nothing`];
  if (list.length > maxPatterns) return [`has more than ${maxPatterns} patterns as ${field}`];
  const bad = list.some((item) => !isText(item, Infinity) || item.trim() === "" || item === "!");
  return bad ? [`has a ${field} that is empty, or neither a string nor a list of strings`] : [];
}

function checkQualifiers(rule: Record<string, unknown>): string[] {
  const { access, exact, given, path, command, decision, approvals } = rule;
  const problems: string[] = [];
  if (approvals !== undefined && (decision !== "ask" || !isWholeWithin(approvals, 1, 10)))
    problems.push('has invalid "approvals": only an ask rule can have them, as a whole number from 1 to 10');
  if (access !== undefined && access !== "read" && access !== "write")
    problems.push('has "access" with a value other than "read" or "write"');
  if (access !== undefined && path === undefined)
    problems.push('has "access" without a path; use path "**" for any');
  if (exact !== undefined && typeof exact !== "boolean")
    problems.push('has "exact" with a value other than true or false');
  if (given !== undefined && (exact !== true || !isText(given, maxReasonLength)))
    problems.push('has "given" that is not a string, or without "exact"');
  if (exact === true && (command === undefined || decision !== "allow")) {
    problems.push('has "exact", which only an allow rule for commands can have');
  }
  return problems;
}

function isWholeWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}

function checkExampleShapes(field: "match" | "notMatch", value: unknown): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > maxPatterns)
    return [`has a ${field} that is not a list of examples`];
  return value.flatMap((example: unknown, index) => {
    const good =
      isRecord(example) &&
      isText(example["tool"], Infinity) &&
      exampleFields.every((who) => example[who] === undefined || typeof example[who] === "string") &&
      (example["arguments"] === undefined || isRecord(example["arguments"]));
    return good
      ? []
      : [`has a ${field}[${index}] that is not { tool, arguments?, ${exampleFields.join("?, ")}? }`];
  });
}

/** Who calls, in an example. */
const exampleFields = ["agent", "user", "client", "role", "endpoint", "session"] as const;

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxLength;
}

/** Try a rule on its own examples; says which of them it gets wrong. */
function checkExamples(compiled: CompiledRule, space: PathSpace): readonly string[] {
  const { match: must = [], notMatch: mustNot = [] } = compiled.rule;
  const problems: string[] = [];
  const check = (field: "match" | "notMatch", example: PolicyExample, index: number) => {
    const shown = showExample(example);
    try {
      if (matchesExample(compiled, example, space) === (field === "match")) return;
      const verb = field === "match" ? "does not match" : "matches";
      problems.push(`${verb} its example ${field}[${index}]: ${shown}`);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      problems.push(`has an example ${field}[${index}] that cannot be read (${error.message}): ${shown}`);
    }
  };
  for (const [index, example] of must.entries()) check("match", example, index);
  for (const [index, example] of mustNot.entries()) check("notMatch", example, index);
  return problems;
}

function showExample(example: PolicyExample): string {
  try {
    return printable(JSON.stringify(example), 200);
  } catch {
    return printable(example.tool, 200);
  }
}

function matchesExample(compiled: CompiledRule, example: PolicyExample, space: PathSpace): boolean {
  const call = toCall(example, compiled.rule.access ?? "write");
  const conditions = { ...compiled.conditions };
  // An example that leaves out who calls is not about them.
  for (const field of exampleFields) if (example[field] === undefined) conditions[field] = undefined;
  const rule = { ...compiled, sessionId: undefined, conditions };
  if (!concerns(rule, call)) return false;
  const facets = facetsOf(call, space);
  const named = facets.filter(({ kind }) => kind === "call" || conditions[kind] !== undefined);
  const holds = (facet: Facet) => matchFacet(rule, facet, facets) === match.yes;
  if (compiled.rule.decision !== "allow") return facets.some(holds);
  return named.length === 0 ? facets.every(holds) : named.every(holds);
}

function toCall(
  { tool, agent, user, client, role, endpoint, session, arguments: args = {} }: PolicyExample,
  access: "read" | "write",
): PolicyCall {
  const texts = (keys: readonly string[]) =>
    keys.map((key) => args[key]).filter((value) => typeof value === "string");
  const resources = [
    ...texts(["path", "from", "to"]).map((path) => ({ path })),
    ...texts(["url", "host"]).map((host) => ({ host })),
  ];
  const lines = texts(["command"]);
  return {
    toolName: tool,
    category: "custom",
    annotations: {},
    agent: agent ?? "",
    ...(user !== undefined && { userId: user }),
    ...(client !== undefined && { client }),
    ...(role !== undefined && { role: role as Role }),
    ...(endpoint !== undefined && { endpoint }),
    sessionId: session ?? "",
    reads: access === "read" ? resources : [],
    writes: access === "write" ? resources : [],
    ...(lines.length > 0 && { commands: lines.flatMap(toCommands) }),
  };
}

function toCommands(line: string): PolicyCommand[] {
  return splitCommands(line).map((words) => ({
    words: words.map(unescapeWildcard),
    known: true,
    readOnly: false,
  }));
}
