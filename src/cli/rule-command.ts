import type { PolicyRule } from "../policy/policy-rule.js";
import { pasteQuote } from "./paste-quote.js";

/** The `tenon policy allow` or `deny` command that saves a rule; `undefined` if its options cannot express it. */
export function ruleCommand(rule: PolicyRule): string | undefined {
  const { decision, tool, agent, user, client, session, path, command, host, exact, given, ...rest } = rule;
  if (decision === "ask" || Object.keys(rest).length > 0) return undefined;
  const options = Object.entries({
    tool,
    agent,
    user,
    client,
    "session-id": session,
    path,
    command,
    host,
    given,
  });
  const words = options.flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => ` --${name} ${pasteQuote(each)}`),
  );
  return `tenon policy ${decision}${words.join("")}${exact === true ? " --exact" : ""}`;
}
