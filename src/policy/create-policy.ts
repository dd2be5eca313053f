import type { AccessDecision } from "../contract/call.js";
import type { SecurityLevel } from "../contract/tool.js";
import { capByCommands, capByMode, capByRole, toGrants } from "./caps.js";
import { policyModes, type PolicyMode } from "./default-verdict.js";
import { commandPaths, mayChange, pathFilter, type PathRulings } from "./command-paths.js";
import { explainCall, explainCommands, type CommandVerdict, type Explanation } from "./explain-call.js";
import { facetsOf, wholeCall, type Facet } from "./facets.js";
import { coveringRule } from "./narrowest-rule.js";
import { createPathSpace, type PathSpace } from "./path-space.js";
import type { PolicyCall } from "./policy-call.js";
import { PolicyError, type RuleProblem } from "./policy-error.js";
import type { PolicyRule, RuleSource } from "./policy-rule.js";
import { printable } from "./printable.js";
import { createRuleBook } from "./rule-book.js";
import { createSubjects, type Subject } from "./subjects.js";
import { judgeFacet, type JudgeInput, isStricter, toDecision, type Verdict } from "./judge-facet.js";

export type { PolicyMode } from "./default-verdict.js";
export type { PolicyCall, PolicyCommand } from "./policy-call.js";

export interface PolicyOptions {
  readonly mode: PolicyMode;
  /** Absolute path that relative patterns and paths are relative to. */
  readonly workspace: string;
  /** Tools above this level do not run at all. @default "critical" */
  readonly securityLevel?: SecurityLevel;
  /** What agents are granted: one list for all, or a list per agent with `*` for every agent. @default none */
  readonly capabilities?: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** The only commands that a shell line may run, by their first word. @default any */
  readonly allowedCommands?: readonly string[] | undefined;
  /** Rules by where they come from; within one source the first match decides. */
  readonly sources: Partial<Record<RuleSource, readonly PolicyRule[]>>;
  /** The file system does not tell upper from lower case. @default for Windows workspaces only */
  readonly caseInsensitive?: boolean;
}

/** A rule of the policy, and where it comes from. */
export interface ListedRule {
  readonly id: string;
  readonly source: RuleSource;
  readonly rule: PolicyRule;
  /** The session that it was given for. */
  readonly sessionId?: string | undefined;
}

/** Decides about calls; pure, without access to the disk, the clock or people. */
export interface Policy {
  readonly mode: PolicyMode;
  decide(call: PolicyCall): AccessDecision;
  /** Whether a call is only asked about because of the mode: in mode "auto", it would be allowed. */
  allowsInAuto(call: PolicyCall): boolean;
  /** Add a rule before the others of its source and return its id. */
  addRule(source: RuleSource, rule: PolicyRule, scope?: { readonly sessionId?: string }): string;
  /** Remove a rule; built-in rules cannot be removed. */
  removeRule(id: string): boolean;
  /** Forget the answers that were given for one session. */
  endSession(sessionId: string): void;
  /** The same policy with other rules before all others; this one stays as it is. */
  withFirst(rules: readonly PolicyRule[]): Policy;
  /** All rules, strongest first. */
  rules(): readonly ListedRule[];
  /** Every rule that matches or may match, in the order in which they are looked at. */
  explainAll(call: PolicyCall): readonly Explanation[];
  /** The verdict on each simple command of a shell line by itself. */
  explainCommands(call: PolicyCall): readonly CommandVerdict[];
  /**
   * Which of the paths met on a walk the call may see; `undefined` where no rule denies or asks about any.
   * A call that reads a whole tree is not denied for one secret in it, so its walk must leave that out, and
   * what a rule asks about, unless the call names it and so was asked about it.
   */
  pathFilter(call: PolicyCall): ((path: string) => boolean) | undefined;
  /** Whether the call may change a path: one that it was judged for, or that no rule denies or asks about. */
  mayChange(call: PolicyCall, path: string): boolean;
  /** What the rules about paths mean for commands of the call; `undefined` where none denies or asks. */
  commandPaths(call: PolicyCall): PathRulings | undefined;
}

/** Load the rules and make the policy; throws a `PolicyError` that lists every bad rule and failed example. */
export function createPolicy(options: PolicyOptions): Policy {
  checkOptions(options);
  const { mode } = options;
  const allowed = options.allowedCommands && new Set(options.allowedCommands);
  const space = createPathSpace(options.workspace, options.caseInsensitive);
  const book = createRuleBook(options.sources, space);
  const subjects = createSubjects(book, {
    grants: toGrants(options.capabilities),
    securityLevel: options.securityLevel ?? "critical",
  });

  return {
    mode,
    decide(call) {
      const subject = subjects.of(call);
      const cap =
        subject.cap ??
        (call.role === "viewer" ? capByRole(call, subject.traits) : undefined) ??
        (mode === "read-only" ? capByMode(call, subject.traits) : undefined) ??
        (allowed === undefined ? undefined : capByCommands(call, allowed));
      if (cap !== undefined) return cap;
      const decision = judgeCall(call, subject, { space, mode });
      return mode === "unattended" && decision.behavior === "ask"
        ? approvalUnavailable(call, decision)
        : decision;
    },
    allowsInAuto: (call) => judgeCall(call, subjects.of(call), { space, mode: "auto" }).behavior === "allow",
    addRule(source, rule, scope = {}) {
      const { id } = book.add(source, rule, scope.sessionId);
      subjects.forget();
      return id;
    },
    removeRule(id) {
      const removed = book.remove(id);
      if (removed) subjects.forget();
      return removed;
    },
    endSession(sessionId) {
      if (book.removeSession(sessionId)) subjects.forget();
    },
    withFirst(tried) {
      const copy = createPolicy({ ...options, sources: {} });
      // A rule is added before the others of its source, so the last one comes first.
      for (const { id, source, rule, sessionId } of book.all().toReversed())
        if (source !== "built-in")
          copy.addRule(source, { ...rule, id }, sessionId === undefined ? {} : { sessionId });
      for (const rule of tried.toReversed()) copy.addRule("command-line", rule);
      return copy;
    },
    rules: () =>
      book.all().map(({ id, source, rule, sessionId }) => ({
        id,
        source,
        rule,
        ...(sessionId !== undefined && { sessionId }),
      })),
    explainCommands: (call) =>
      explainCommands(call, { subject: subjects.of(call), facets: facetsOf(call, space), mode }),
    explainAll: (call) => explainCall(call, { subject: subjects.of(call), facets: facetsOf(call, space) }),
    pathFilter: (call) => pathFilter(call, subjects.of(call), space),
    mayChange: (call, path) => mayChange(call, path, { subject: subjects.of(call), space }),
    commandPaths: (call) => commandPaths(call, subjects.of(call), space),
  };
}

/** A mistyped mode must not mean a looser one, and a relative workspace would contain everything. */
function checkOptions({ mode, workspace }: PolicyOptions): void {
  const problems: RuleProblem[] = [];
  if (!policyModes.includes(mode)) {
    problems.push({ rule: "mode", message: `must be one of ${policyModes.join(", ")}` });
  }
  if (!/^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(workspace)) {
    problems.push({ rule: "workspace", message: "is not an absolute path" });
  }
  if (problems.length > 0) throw new PolicyError(problems);
}

function approvalUnavailable(call: PolicyCall, decision: AccessDecision): AccessDecision {
  const rule = printable(JSON.stringify(coveringRule(call)), 2000);
  return {
    ...decision,
    behavior: "deny",
    code: "APPROVAL_UNAVAILABLE",
    reason: `${decision.reason}; in unattended mode nobody can be asked. This rule would allow it: ${rule}`,
    hint: `Let a person add this rule to the user's configuration: ${rule}`,
  };
}

/** Judge a call by the rules and defaults: the strictest verdict on anything it touches counts. */
function judgeCall(
  call: PolicyCall,
  subject: Subject,
  { space, mode }: { readonly space: PathSpace; readonly mode: PolicyMode },
): AccessDecision {
  if (!isBare(call, subject)) return judge({ call, facets: facetsOf(call, space), subject, mode });
  subject.bare ??= Object.freeze(judge({ call, facets: wholeCall, subject, mode }));
  return subject.bare;
}

function judge(bench: JudgeInput): AccessDecision {
  let worst: Verdict | undefined;
  let about: Facet | undefined;
  for (const facet of bench.facets) {
    const verdict = judgeFacet(facet, bench);
    if (verdict === undefined || (worst !== undefined && !isStricter(verdict, worst))) continue;
    worst = verdict;
    about = facet;
    if (verdict.behavior === "deny") break;
  }
  // Nothing that the call touches needed a verdict of its own: the call as such is judged.
  if (worst === undefined || about === undefined) return judge({ ...bench, facets: wholeCall });
  return toDecision(worst, bench.call.toolName, about);
}

/** Nothing in the call can change the verdict that its tool and caller got before. */
function isBare(call: PolicyCall, subject: Subject): boolean {
  if (call.commands !== undefined || subject.opaque) return false;
  const { reads, writes } = call;
  return !writes.some(isJudged) && !reads.some(subject.resourceRules ? isJudged : isHost);
}

function isJudged(resource: PolicyCall["reads"][number]): boolean {
  return "path" in resource || "tree" in resource || "host" in resource;
}

function isHost(resource: PolicyCall["reads"][number]): boolean {
  return "host" in resource;
}
