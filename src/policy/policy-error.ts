import { ToolDefinitionError } from "../contract/errors.js";

export interface RuleProblem {
  /** Where the rule stands, as in "user#3". */
  readonly rule: string;
  readonly message: string;
}

/** Rules were refused; every problem of every rule is listed. */
export class PolicyError extends ToolDefinitionError {
  readonly problems: readonly RuleProblem[];

  constructor(problems: readonly RuleProblem[]) {
    const lines = problems.slice(0, maxShown).map(({ rule, message }) => `- ${rule}: ${message}`);
    if (problems.length > maxShown) lines.push(`- and ${problems.length - maxShown} more`);
    super(`The policy cannot be loaded:\n${lines.join("\n")}`, {
      code: "POLICY_INVALID",
      hint: "Correct the rules that the message names; docs/reference/policy.md describes every field.",
      details: { problems },
    });
    this.problems = problems;
  }
}

const maxShown = 50;
