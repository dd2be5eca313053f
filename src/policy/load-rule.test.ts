import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../contract/errors.js";
import { createPolicy } from "./create-policy.js";
import { PolicyError } from "./policy-error.js";
import { policyWith } from "./policy.fixture.js";
import type { PolicyRule } from "./policy-rule.js";

function problemsOf(...rules: unknown[]): readonly string[] {
  try {
    policyWith({ user: rules as PolicyRule[] });
    return [];
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return error.problems.map(({ rule, message }) => `${rule} ${message}`);
  }
}

function many<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}

describe("loading rules", () => {
  it("names the list of examples that is wrong", () => {
    expect(problemsOf({ decision: "allow", match: "x" })).toEqual([expect.stringMatching(/\bmatch\b/)]);
    expect(problemsOf({ decision: "allow", notMatch: "x" })).toEqual([expect.stringMatching(/\bnotMatch\b/)]);
  });

  it("lists fifty problems in its message and counts the others, but has them all", () => {
    const load = (count: number): PolicyError => {
      const wrong = Array.from({ length: count }, () => ({ decision: "maybe" }));
      try {
        policyWith({ user: wrong as never });
      } catch (error) {
        if (error instanceof PolicyError) return error;
      }
      return expect.unreachable("it was loaded");
    };
    expect(load(50).message).not.toContain("more");
    const many = load(53);
    expect(many.message).toContain("- and 3 more");
    expect(many.message.split("\n")).toHaveLength(52);
    expect(many.problems).toHaveLength(53);
  });

  it("reports every problem of every rule at once", () => {
    const problems = problemsOf(
      { decision: "allow", paths: "src/**" },
      { decision: "maybe" },
      { decision: "deny", path: "{1..9}", host: "http://x" },
      { decision: "deny", id: "fine", path: "src/**" },
    );
    expect(problems).toHaveLength(4);
    expect(problems[0]).toBe('user#1 has an unknown field "paths"; did you mean "path"?');
    expect(problems[1]).toContain("user#2 needs a decision");
    expect(problems[2]).toContain('user#3 has an invalid path: "{1..9}"');
    expect(problems[3]).toContain("user#3 has an invalid host");
  });

  it("throws an error with a code, a hint and the problems", () => {
    const load = () => policyWith({ user: [{ decision: "deny", path: "~/x" }] });
    expect(load).toThrow(ToolDefinitionError);
    expect(load).toThrow(
      expect.objectContaining({
        code: "POLICY_INVALID",
        details: { problems: [expect.objectContaining({ rule: "user#1" })] },
      }),
    );
    expect(load).toThrow("user#1: has an invalid path");
  });

  it.each([
    [null],
    ["allow"],
    [[]],
    [{}],
    [{ decision: "allow", path: [] }],
    [{ decision: "allow", path: "" }],
    [{ decision: "allow", path: "!" }],
    [{ decision: "allow", tool: 5 }],
    [{ decision: "allow", tool: ["a", null] }],
    [{ decision: "allow", id: "" }],
    [{ decision: "allow", id: "built-in:mine" }],
    [{ decision: "allow", id: "capability" }],
    [{ decision: "allow", reason: 7 }],
    [{ decision: "allow", access: "write" }],
    [{ decision: "allow", path: "a", access: "delete" }],
    [{ decision: "deny", command: "x", exact: true }],
    [{ decision: "allow", command: "a && b" }],
    [{ decision: "allow", command: "'x" }],
    [{ decision: "allow", match: {} }],
    [{ decision: "allow", match: [{ arguments: {} }] }],
    [{ decision: "allow", path: "x".repeat(10_000) }],
    [{ decision: "allow", path: "{a,b}".repeat(30) }],
    [{ decision: "allow", path: Array.from({ length: 2000 }, () => "a") }],
    [JSON.parse('{"decision":"allow","__proto__":{"path":"x"}}')],
  ])("refuses %j", (rule) => {
    expect(problemsOf(rule)).toHaveLength(1);
  });

  it.each<[object, string]>([
    [{}, 'needs a decision: "allow", "ask" or "deny"'],
    [{ decision: "deny", path: [] }, "has an empty list as path, which would match nothing"],
    [{ decision: "deny", host: many(1001, "a.org") }, "has more than 1000 patterns as host"],
    [{ decision: "deny", path: " " }, "has a path that is empty, or neither a string nor a list of strings"],
    [
      { decision: "deny", agent: ["a", "!"] },
      "has a agent that is empty, or neither a string nor a list of strings",
    ],
    [{ decision: "deny", id: "x".repeat(257) }, "has an id that is not a string of 1 to 256 characters"],
    [
      { decision: "deny", reason: "x".repeat(4097) },
      "has a reason that is not a string of 1 to 4096 characters",
    ],
    ...[0, 11, 1.5, "2", true, null].map((approvals): [object, string] => [
      { decision: "ask", approvals },
      'has invalid "approvals": only an ask rule can have them, as a whole number from 1 to 10',
    ]),
    [
      { decision: "deny", approvals: 2 },
      'has invalid "approvals": only an ask rule can have them, as a whole number from 1 to 10',
    ],
    [{ decision: "allow", command: "a", exact: "yes" }, 'has "exact" with a value other than true or false'],
    [{ decision: "allow", command: "a", given: "x" }, 'has "given" that is not a string, or without "exact"'],
    [
      { decision: "allow", command: "a", exact: true, given: 1 },
      'has "given" that is not a string, or without "exact"',
    ],
    [{ decision: "allow", match: many(1001, { tool: "a" }) }, "has a match that is not a list of examples"],
    [
      { decision: "allow", path: `{1..9}${"a".repeat(75)}` },
      `has an invalid path: "{1..9}${"a".repeat(74)}…": `,
    ],
    [
      { decision: "allow", path: `{1..9}${"a".repeat(74)}` },
      `has an invalid path: "{1..9}${"a".repeat(74)}": `,
    ],
    [{ decision: "allow", path: ["fine", "{1..9}"] }, 'has an invalid path: "{1..9}": '],
    [{ decision: "allow", command: "x".repeat(16_385) }, "has an invalid command: "],
    [{ decision: "allow", [`${"q".repeat(79)}ab`]: 1 }, `has an unknown field "${"q".repeat(79)}a"`],
    [
      { decision: "allow", match: [{ tool: "a", arguments: "b" }] },
      "has a match[0] that is not { tool, arguments?, agent?, user?, client?, role?, endpoint?, session? }",
    ],
    [
      { decision: "allow", notMatch: [{ tool: "a" }, { tool: "a", session: 1 }] },
      "has a notMatch[1] that is not { tool, arguments?, agent?, user?, client?, role?, endpoint?, session? }",
    ],
  ])("says what is wrong (%#)", (rule, message) => {
    const [problem = "", ...others] = problemsOf(rule);
    expect(others).toEqual([]);
    expect(problem.slice(0, "user#1 ".length + message.length)).toBe(`user#1 ${message}`);
  });

  it.each([
    { decision: "ask", approvals: 1 },
    { decision: "ask", approvals: 10 },
    { decision: "deny", host: many(1000, "a.org") },
    { decision: "deny", id: "x".repeat(256), reason: "x".repeat(4096) },
    { decision: "allow", command: "a", exact: true, given: "x" },
    { decision: "allow", command: "a", exact: false },
    { decision: "allow", command: "x".repeat(16_384) },
    { decision: "allow", match: many(1000, { tool: "a" }) },
    { decision: "deny", path: undefined },
  ])("takes what is just within its limits (%#)", (rule) => {
    expect(problemsOf(rule)).toEqual([]);
  });

  it("refuses two rules with one id, also when one is added later", () => {
    expect(problemsOf({ decision: "allow", id: "a" }, { decision: "deny", id: "a" })).toHaveLength(1);
    const policy = policyWith({ user: [{ decision: "allow", id: "a" }] });
    expect(() => policy.addRule("session", { decision: "deny", id: "a" })).toThrow(PolicyError);
    expect(() => policy.addRule("session", { decision: "deny", path: "{1..3}" })).toThrow(PolicyError);
    expect(policy.rules().filter(({ source }) => source !== "built-in")).toHaveLength(1);
  });

  it("refuses unknown sources, modes and relative workspaces", () => {
    expect(() => policyWith({ users: [{ decision: "allow" }] } as object)).toThrow(
      "is not a source of rules",
    );
    expect(() => policyWith({}, { mode: "readonly" as "read-only" })).toThrow("mode: must be one of");
    expect(() => createPolicy({ mode: "ask", workspace: "ws", sources: {} })).toThrow(
      "is not an absolute path",
    );
  });
});

describe("examples", () => {
  it.each<[string, PolicyRule]>([
    [
      "paths",
      {
        decision: "deny",
        path: "secret/**",
        match: [{ tool: "read_file", arguments: { path: "secret/a" } }],
        notMatch: [{ tool: "read_file", arguments: { path: "src/a" } }, { tool: "current_time" }],
      },
    ],
    [
      "from and to",
      {
        decision: "deny",
        path: "secret/**",
        match: [{ tool: "move_file", arguments: { from: "a", to: "secret/a" } }],
      },
    ],
    [
      "every path of an allow rule",
      {
        decision: "allow",
        path: "src/**",
        match: [{ tool: "copy_file", arguments: { from: "src/a", to: "src/b" } }],
        notMatch: [{ tool: "copy_file", arguments: { from: "src/a", to: "b" } }],
      },
    ],
    [
      "hosts and URLs",
      {
        decision: "allow",
        host: "*.x.org",
        match: [
          { tool: "http_get", arguments: { url: "https://a.x.org/y" } },
          { tool: "t", arguments: { host: "b.x.org" } },
        ],
        notMatch: [{ tool: "http_get", arguments: { url: "https://x.org.evil/" } }],
      },
    ],
    [
      "commands",
      {
        decision: "allow",
        tool: "shell_exec",
        command: "npm run test",
        match: [{ tool: "shell_exec", arguments: { command: "npm run test -- -t 'a && b'" } }],
        notMatch: [
          { tool: "shell_exec", arguments: { command: "npm run test && rm -rf /" } },
          { tool: "other", arguments: { command: "npm run test" } },
        ],
      },
    ],
    [
      "agents and users",
      {
        decision: "allow",
        agent: "a*",
        user: "u",
        match: [{ tool: "x" }, { tool: "x", agent: "ab", user: "u" }],
        notMatch: [{ tool: "x", agent: "b" }],
      },
    ],
    [
      "access",
      {
        decision: "deny",
        path: "docs/**",
        access: "read",
        match: [{ tool: "read_file", arguments: { path: "docs/a" } }],
      },
    ],
    [
      "clients, endpoints and sessions, only where they are given",
      {
        decision: "allow",
        client: "c",
        endpoint: "e",
        session: "s",
        match: [{ tool: "x" }, { tool: "x", client: "c", endpoint: "e", session: "s" }],
        notMatch: [
          { tool: "x", client: "d" },
          { tool: "x", endpoint: "d" },
          { tool: "x", session: "d" },
        ],
      },
    ],
    [
      "what a rule without resources says of calls that touch some",
      {
        decision: "allow",
        tool: "a",
        match: [
          { tool: "a", arguments: { from: "x", to: "y" } },
          { tool: "a", arguments: { command: "b; c" } },
        ],
        notMatch: [{ tool: "b", arguments: { path: "x" } }],
      },
    ],
    [
      "access to one of two paths",
      {
        decision: "allow",
        path: "docs/**",
        access: "write",
        match: [{ tool: "x", arguments: { from: "docs/a" } }],
        notMatch: [
          { tool: "x", arguments: { from: "a" } },
          { tool: "x", arguments: { to: "a" } },
        ],
      },
    ],
    [
      "commands without regard to what else a call touches",
      {
        decision: "allow",
        command: "ls",
        match: [{ tool: "x", arguments: { command: "ls", path: "a" } }],
        notMatch: [{ tool: "x", arguments: { command: "rm", path: "a" } }],
      },
    ],
  ])("that hold load: %s", (_, rule) => {
    expect(problemsOf(rule)).toEqual([]);
  });

  it("that do not hold are refused, each one named", () => {
    const rule = {
      decision: "deny",
      id: "secrets",
      path: "secret/*",
      match: [
        { tool: "read_file", arguments: { path: "secret/a" } },
        { tool: "read_file", arguments: { path: "secret/a/b" } },
      ],
      notMatch: [{ tool: "read_file", arguments: { path: "secret/public" } }],
    };
    expect(problemsOf(rule)).toEqual([
      'user#1 "secrets" does not match its example match[1]: {"tool":"read_file","arguments":{"path":"secret/a/b"}}',
      'user#1 "secrets" matches its example notMatch[0]: {"tool":"read_file","arguments":{"path":"secret/public"}}',
    ]);
  });

  it("are shown up to 200 characters", () => {
    const shown = (path: string) =>
      problemsOf({ decision: "deny", path: "a", match: [{ tool: "x", arguments: { path } }] })[0];
    const frame = JSON.stringify({ tool: "x", arguments: { path: "" } }).length;
    expect(shown("b".repeat(200 - frame))).toMatch(/b"\}\}$/u);
    expect(shown("b".repeat(201 - frame))).toMatch(/b"\}… \(1 more characters\)$/u);
  });

  it("that cannot be read are refused", () => {
    const circular: Record<string, unknown> = { path: "b" };
    circular["self"] = circular;
    expect(problemsOf({ decision: "deny", path: "a", match: [{ tool: "x", arguments: circular }] })).toEqual([
      "user#1 does not match its example match[0]: x",
    ]);
    expect(
      problemsOf({ decision: "deny", command: "a", match: [{ tool: "x", arguments: { command: "'a" } }] }),
    ).toEqual([
      `user#1 has an example match[0] that cannot be read (a quote is never closed): {"tool":"x","arguments":{"command":"'a"}}`,
    ]);
  });
});
