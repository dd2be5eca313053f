import { concerns, matchFacet, type CompiledRule } from "./compile-rule.js";
import { facetsOf, type Facet } from "./facets.js";
import { match } from "./match.js";
import type { PathSpace } from "./path-space.js";
import type { PolicyCall, PolicyCommand } from "./policy-call.js";
import type { PolicyExample } from "./policy-rule.js";
import { printable } from "./printable.js";
import { splitCommands } from "./split-words.js";
import { PatternError, unescapeWildcard } from "../glob/wildcard.js";

/** Try a rule on its own examples; says which of them it gets wrong. */
export function checkExamples(compiled: CompiledRule, space: PathSpace): readonly string[] {
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
  const { agent, user, client, session } = example;
  // An example that leaves the agent, the user, the client or the session out is not about them.
  const conditions = {
    ...compiled.conditions,
    agent: agent === undefined ? undefined : compiled.conditions.agent,
    user: user === undefined ? undefined : compiled.conditions.user,
    client: client === undefined ? undefined : compiled.conditions.client,
    session: session === undefined ? undefined : compiled.conditions.session,
  };
  const rule = { ...compiled, sessionId: undefined, conditions };
  if (!concerns(rule, call)) return false;
  const facets = facetsOf(call, space);
  const named = facets.filter(({ kind }) => kind === "call" || conditions[kind] !== undefined);
  const holds = (facet: Facet) => matchFacet(rule, facet, facets) === match.yes;
  if (compiled.rule.decision !== "allow") return facets.some(holds);
  return named.length === 0 ? facets.every(holds) : named.every(holds);
}

function toCall(
  { tool, agent, user, client, session, arguments: args = {} }: PolicyExample,
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
