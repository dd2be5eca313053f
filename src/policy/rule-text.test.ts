import { describe, expect, it } from "vitest";
import type { PolicyRule } from "./policy-rule.js";
import { ruleText } from "./rule-text.js";

describe("ruleText", () => {
  it.each<[PolicyRule, string]>([
    [{ decision: "deny" }, "deny every tool"],
    [{ decision: "allow", tool: "read_file" }, "allow read_file"],
    [{ decision: "ask", tool: ["a", "b", "c"] }, "ask a, b or c"],
    [{ decision: "allow", tool: "t", path: ["a", "b"] }, "allow t on a or b"],
    [{ decision: "allow", tool: "t", path: "a", access: "read" }, "allow t reading a"],
    [{ decision: "allow", tool: "t", path: "a", access: "write" }, "allow t changing a"],
    [{ decision: "allow", tool: "t", host: ["x.org", "y.org"] }, "allow t reaching x.org or y.org"],
    [{ decision: "allow", tool: "t", agent: ["a", "b"] }, "allow t for the agent a or b"],
    [{ decision: "allow", tool: "t", user: ["a", "b"] }, "allow t for the user a or b"],
    [{ decision: "allow", tool: "t", client: ["a", "b"] }, "allow t for the client a or b"],
    [{ decision: "allow", tool: "t", session: ["a", "b"] }, "allow t in the session a or b"],
    [{ decision: "allow", tool: "t", command: ["ls", "git *"] }, "allow t running `ls` or `git *`"],
    [
      { decision: "allow", tool: "t", command: ["ls", "git *", "*"], exact: true },
      "allow t running `ls` as it stands, `git *` or `*`",
    ],
    [{ decision: "allow", tool: String.raw`a\*` }, "allow a*"],
    [{ decision: "allow", tool: "a\u202Eb" }, String.raw`allow a\u{202e}b`],
  ])("says %j", (rule, text) => {
    expect(ruleText(rule)).toBe(text);
  });

  it("names the first twenty of a list and counts the others", () => {
    const list = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);
    expect(ruleText({ decision: "allow", tool: "t", path: list(20) })).toMatch(/ f18 or f19$/);
    expect(ruleText({ decision: "allow", tool: "t", path: list(25) })).toMatch(/, f19 or 5 more$/);
  });
});
