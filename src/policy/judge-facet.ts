import { matchFacet, namesKind, type CompiledRule } from "./compile-rule.js";
import { defaultVerdict, type PolicyMode } from "./default-verdict.js";
import type { Facet, PathFacet } from "./facets.js";
import { match } from "./match.js";
import type { PolicyCall } from "./policy-call.js";
import type { Subject } from "./subjects.js";
import type { AccessDecision } from "../contract/call.js";
import type { PolicyRule } from "./policy-rule.js";
import { printable } from "./printable.js";

/** What judging needs besides the facet. */
export interface JudgeInput {
  readonly call: PolicyCall;
  readonly facets: readonly Facet[];
  readonly mode: PolicyMode;
  /** The rules that concern the caller, and what is known of the tool. */
  readonly subject: Subject;
}

/** Judge one facet; `undefined` where it needs no verdict of its own. */
export function judgeFacet(facet: Facet, bench: JudgeInput): Verdict | undefined {
  const { rule, doubt } = firstMatch(facet, bench);
  if (rule?.rule.decision === "deny") return fromRule(rule);
  const hard = hardDenial(facet, bench);
  if (hard !== undefined && !isLifted(facet, bench)) return hard;
  // A rule that may match asks at least, but never hides what weaker rules would deny.
  const verdict = rule === undefined ? fallback(facet, bench) : fromRule(rule);
  const weak = facet.kind === "path" && facet.weak;
  if (doubt !== undefined && (verdict === undefined || verdict.behavior === "allow")) return fromDoubt(doubt);
  return weak && verdict?.behavior === "allow" ? undefined : verdict;
}

interface Found {
  readonly rule: CompiledRule | undefined;
  /** The first stricter rule that may match, which cannot be known in advance. */
  readonly doubt: CompiledRule | undefined;
}

function firstMatch(facet: Facet, { subject, facets }: JudgeInput): Found {
  let doubt: CompiledRule | undefined;
  for (const rule of subject.screen?.select(facet) ?? []) {
    const found = matchFacet(rule, facet, facets);
    if (found === match.yes) return { rule, doubt };
    if (found === match.maybe) doubt ??= rule;
  }
  return { rule: undefined, doubt };
}

/** A denial that Tenon comes with. */
function hardDenial(facet: Facet, { subject, facets }: JudgeInput): Verdict | undefined {
  for (const rule of subject.builtIn) {
    if (rule.rule.decision === "deny" && matchFacet(rule, facet, facets) === match.yes) return fromRule(rule);
  }
  if (facet.kind !== "command" || facet.command.denied === undefined) return undefined;
  return { behavior: "deny", rule: "built-in:denied-command", source: "built-in", why: facet.command.denied };
}

/** Only the command line and the user's own config lift a built-in denial, with a rule that names the thing. */
function isLifted(facet: Facet, bench: JudgeInput): boolean {
  const { subject, facets } = bench;
  if (facet.kind === "path" && facet.of !== undefined && isLifted(facet.of, bench)) return true;
  for (const source of ["command-line", "user"] as const) {
    const rule = subject.rules.find(
      (candidate) =>
        candidate.source === source &&
        namesKind(candidate, facet.kind) &&
        matchFacet(candidate, facet, facets) === match.yes,
    );
    if (rule !== undefined) return rule.rule.decision !== "deny";
  }
  return false;
}

function fallback(facet: Facet, bench: JudgeInput): Verdict | undefined {
  const { subject, facets, call, mode } = bench;
  if (facet.kind === "path" && facet.of !== undefined && isAllowedByName(facet.of, bench)) return undefined;
  for (const rule of subject.builtIn) {
    if (rule.rule.decision !== "deny" && matchFacet(rule, facet, facets) === match.yes) return fromRule(rule);
  }
  // A folder or a link in such a place, `.cargo` or `.github`, brings along what the rule is about.
  const through = subject.builtIn.find(
    ({ conditions }) => facet.kind === "path" && conditions.path?.leadsThrough(facet),
  );
  if (through !== undefined) return { ...fromRule(through), behavior: "ask" };
  if (facet.kind === "path" && facet.weak) return undefined;
  return defaultVerdict(facet, call, { traits: subject.traits, mode });
}

/** A rule that allows a path by its own name counts for its other names, too, as far as Tenon's own rules go. */
function isAllowedByName(facet: Facet, bench: JudgeInput): boolean {
  const { rule } = firstMatch(facet, bench);
  return rule?.rule.decision === "allow" && rule.conditions.path !== undefined;
}

function fromRule({ id, source, rule }: CompiledRule): Verdict {
  return { behavior: rule.decision, rule: id, source, why: rule.reason ?? "", ...approvalsOf(rule) };
}

function fromDoubt({ id, source, rule }: CompiledRule): Verdict {
  const why = `this rule may apply to it${rule.reason === undefined ? "" : ` (${rule.reason})`}`;
  return { behavior: "ask", rule: id, source, why, ...approvalsOf(rule) };
}

function approvalsOf({ approvals = 1 }: PolicyRule): Pick<Verdict, "approvals"> {
  return approvals > 1 ? { approvals } : {};
}

/** The verdict of one rule on one facet of a call. */
export interface Verdict {
  readonly behavior: PolicyRule["decision"];
  /** The rule's id. */
  readonly rule: string;
  readonly source: string;
  /** How many people must consent, where it is more than one. */
  readonly approvals?: number;
  /** Finishes a sentence that begins with the tool and what it touches. */
  readonly why: string;
}

const verbs = { allow: "allows", ask: "requires consent for", deny: "denies" } as const;
const strictness = { allow: 0, ask: 1, deny: 2 } as const;

/** Whether the first verdict is stricter than the second. */
export function isStricter(one: Verdict, other: Verdict): boolean {
  if (one.behavior !== other.behavior) return strictness[one.behavior] > strictness[other.behavior];
  return (one.approvals ?? 1) > (other.approvals ?? 1);
}

/** Convert a verdict to a decision with its reason. */
export function toDecision(verdict: Verdict, toolName: string, facet: Facet): AccessDecision {
  const why = verdict.why === "" ? "" : `: ${verdict.why}`;
  return {
    behavior: verdict.behavior,
    rule: verdict.rule,
    source: verdict.source,
    ...(verdict.approvals !== undefined && { approvals: verdict.approvals }),
    reason: `the rule "${verdict.rule}" ${verbs[verdict.behavior]} ${toolName}${describe(facet)}${why}`,
  };
}

/** Describe the facet as a phrase that follows the tool's name. */
export function describe(facet: Facet): string {
  switch (facet.kind) {
    case "path":
      return ` ${facet.write ? "changing" : "reading"} ${describePath(facet)}`;
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

function describePath({ view, of }: PathFacet): string {
  const name = printable(view.text, 200);
  return of === undefined ? name : `${name}, which is also named ${printable(of.view.text, 200)}`;
}
