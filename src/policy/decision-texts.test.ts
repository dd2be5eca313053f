import { describe, expect, it } from "vitest";
import type { PolicyCall, PolicyOptions } from "./create-policy.js";
import { allow, ask, callOf, deny, policyWith, readCall, shellCall, writeCall } from "./policy.fixture.js";

const decide = (call: PolicyCall, sources: PolicyOptions["sources"] = {}, options: object = {}) =>
  policyWith(sources, options).decide(call);

describe("a decision says", () => {
  const long = "x".repeat(201);

  it.each<[string, PolicyCall, string]>([
    ["a change", writeCall("src/a.ts"), "changing src/a.ts"],
    ["a host", readCall([{ host: "x.org" }]), "reaching x.org"],
    ["a host and its port", readCall([{ host: "x.org:8080" }]), "reaching x.org:8080"],
    ["a command", shellCall(["make all"], { writes: [] }), "running `make all`"],
    [
      "an unknown command",
      shellCall([], { writes: [], commands: [{ words: [], known: false, readOnly: false }] }),
      "running a command that could not be analyzed",
    ],
    [
      "a line that should never run",
      shellCall([], { writes: [], commands: [{ words: [], known: true, readOnly: false, denied: "no" }] }),
      "running this line",
    ],
    ["nothing more", callOf(), ""],
    ["200 characters of a path", writeCall(long.slice(1)), `changing ${long.slice(1)}`],
    ["the start of a longer path", writeCall(long), `changing ${long.slice(1)}… (1 more characters)`],
    [
      "the start of a long host",
      readCall([{ host: `${"x".repeat(198)}.org` }]),
      `reaching ${"x".repeat(198)}.o… (2 more characters)`,
    ],
    [
      "the start of a long command",
      shellCall([long], { writes: [] }),
      `running \`${long.slice(1)}… (1 more characters)\``,
    ],
  ])("%s", (_, call, about) => {
    const rule = { ...deny(), id: "mine", reason: "because" };
    expect(decide(call, { user: [rule] }).reason).toBe(
      `the rule "mine" denies ${call.toolName}${about === "" ? "" : ` ${about}`}: because`,
    );
  });

  it("a read", () => {
    expect(decide(readCall([{ path: "a" }]), { user: [deny({ path: "a" })] }).reason).toBe(
      'the rule "user#1" denies read_file reading a',
    );
  });

  it("which rule decided, where it came from and how many people must consent", () => {
    expect(decide(writeCall("a"), { user: [ask({ id: "two", approvals: 2 })] })).toEqual({
      behavior: "ask",
      rule: "two",
      source: "user",
      approvals: 2,
      reason: 'the rule "two" requires consent for write_file changing a',
    });
    expect(decide(writeCall("a"), { user: [ask({ id: "one", approvals: 1 })] })).toEqual({
      behavior: "ask",
      rule: "one",
      source: "user",
      reason: 'the rule "one" requires consent for write_file changing a',
    });
  });

  it("the strictest of what the call touches, first by the decision and then by the number of people", () => {
    const rules = {
      user: [
        ask({ path: "one" }),
        ask({ path: "two", approvals: 2 }),
        ask({ path: "three", approvals: 3 }),
        deny({ path: "never" }),
        allow(),
      ],
    };
    const ruleFor = (...paths: string[]) => decide(writeCall(paths), rules).rule;
    expect(ruleFor("one", "two", "free")).toBe("user#2");
    expect(ruleFor("two", "one")).toBe("user#2");
    expect(ruleFor("two", "three", "one")).toBe("user#3");
    expect(ruleFor("three", "never", "one")).toBe("user#4");
    expect(ruleFor("free", "one")).toBe("user#1");
    expect(ruleFor("free")).toBe("user#5");
  });

  it("that a rule may apply, where that is not known", () => {
    const unknown = shellCall([], { writes: [], commands: [{ words: [], known: false, readOnly: false }] });
    const withReason = { user: [deny({ id: "a", command: "rm", reason: "no rm" }), allow()] };
    expect(decide(unknown, withReason)).toEqual({
      behavior: "ask",
      rule: "a",
      source: "user",
      reason:
        'the rule "a" requires consent for shell_exec running a command that could not be analyzed: this rule may apply to it (no rm)',
    });
    const without = {
      user: [ask({ id: "b", command: "rm", approvals: 3 }), deny({ command: "mv" }), allow()],
    };
    expect(decide(unknown, without)).toEqual({
      behavior: "ask",
      rule: "b",
      source: "user",
      approvals: 3,
      reason:
        'the rule "b" requires consent for shell_exec running a command that could not be analyzed: this rule may apply to it',
    });
    // It never hides what another rule denies.
    expect(decide(unknown, { user: [ask({ command: "rm" }), deny()] }).rule).toBe("user#2");
  });
});

describe("a limit that no rule lifts says what it is and which setting lifts it", () => {
  it("for capabilities", () => {
    const call = callOf({ capabilities: ["deploy", "network"] });
    expect(decide(call, {}, { capabilities: { main: ["other"] } })).toEqual({
      behavior: "deny",
      rule: "capability",
      source: "capabilities",
      code: "CAPABILITY_MISSING",
      reason: "write_file requires the capability deploy, network, which the agent main was not granted",
      hint: "Grant deploy, network to the agent main in the configuration (capabilities), or use another tool.",
      liftedBy: { setting: "capabilities", value: ["other", "deploy", "network"] },
    });
    const { reason } = decide(callOf({ capabilities: ["x".repeat(101)] }));
    expect(reason).toContain(`the capability ${"x".repeat(100)}… (1 more characters), which`);
  });

  it("for the security level", () => {
    expect(decide(callOf(), {}, { securityLevel: "low" })).toEqual({
      behavior: "deny",
      rule: "security-level",
      source: "securityLevel",
      code: "SECURITY_LEVEL",
      reason: "write_file has the security level high, and no tool above low may run",
      hint: "Raise securityLevel in the configuration if this tool should run.",
      liftedBy: { setting: "securityLevel", value: "high" },
    });
  });

  it("for the mode and the role", () => {
    expect(decide(writeCall("a"), { user: [allow()] }, { mode: "read-only" })).toEqual({
      behavior: "deny",
      rule: "mode:read-only",
      source: "mode",
      code: "ACCESS_DENIED",
      reason: "write_file does more than read, and the mode is read-only",
      hint: "Read instead, or let a person start Tenon in another mode.",
      liftedBy: { setting: "mode", value: "auto" },
    });
    expect(decide(writeCall("a", { role: "viewer" }), { user: [allow()] })).toEqual({
      behavior: "deny",
      rule: "role:viewer",
      source: "role",
      code: "ACCESS_DENIED",
      reason: "write_file does more than read, and a viewer may only read",
      hint: "Read instead, or let an admin give this user the role operator.",
    });
  });

  it("for the allowed commands", () => {
    const options = { allowedCommands: ["ls", "git"] };
    expect(decide(shellCall(["ls", "/usr/bin/rm x", "mv", "rm"]), { user: [allow()] }, options)).toEqual({
      behavior: "deny",
      rule: "allowed-commands",
      source: "tools.allowedCommands",
      code: "ACCESS_DENIED",
      reason: "shell_exec would run the command /usr/bin/rm, and only these may run: ls, git",
      hint: "Use one of the allowed commands, or let a person add this one to tools.allowedCommands.",
      liftedBy: { setting: "tools.allowedCommands", value: ["ls", "git", "rm", "mv"] },
    });
    const opaque = decide(shellCall([], { commands: undefined }), {}, options);
    expect(opaque.reason).toContain("would run a command that is not known until it runs, and");
    expect(opaque).not.toHaveProperty("liftedBy");
    const long = decide(shellCall(["x".repeat(101)]), {}, { allowedCommands: ["y".repeat(301)] });
    expect(long.reason).toBe(
      `shell_exec would run the command ${"x".repeat(100)}… (1 more characters), and only these may run: ${"y".repeat(300)}… (1 more characters)`,
    );
  });

  it("for a question where nobody is there to answer", () => {
    const decision = decide(writeCall("a"), {}, { mode: "unattended" });
    expect(decision).toMatchInlineSnapshot(`
      {
        "behavior": "deny",
        "code": "APPROVAL_UNAVAILABLE",
        "hint": "Let a person add this rule to the user's configuration: {"decision":"allow","tool":"write_file","path":"a"}",
        "reason": "the rule "built-in:dangerous" requires consent for write_file changing a: it changes files, runs commands or sends data out; in unattended mode nobody can be asked. This rule would allow it: {"decision":"allow","tool":"write_file","path":"a"}",
        "rule": "built-in:dangerous",
        "source": "built-in",
      }
    `);
  });
});

describe("in read-only mode", () => {
  const reader = { line: "ls", readOnly: true, sandboxed: true };
  const isDenied = (commands: Parameters<typeof shellCall>[0], extra: Partial<PolicyCall> = {}) =>
    decide(shellCall(commands, { writes: [], ...extra }), { user: [allow()] }, { mode: "read-only" })
      .behavior === "deny";

  it("lines run that only read and that the sandbox holds", () => {
    expect(isDenied([reader])).toBe(false);
    expect(isDenied([reader, reader])).toBe(false);
    expect(isDenied([reader], { changes: [] })).toBe(false);
  });

  it.each<[string, Parameters<typeof shellCall>[0], Partial<PolicyCall>]>([
    ["no command", [], {}],
    ["one command of two that does more", [reader, { ...reader, readOnly: false }], {}],
    ["a command that is not known", [{ ...reader, known: false }], {}],
    ["a command outside of the sandbox", [{ ...reader, sandboxed: false }], {}],
    ["a command of which nobody says that the sandbox holds it", [{ line: "ls", readOnly: true }], {}],
    ["a file that changes by itself", [reader], { changes: ["a"] }],
    ["a folder that is written", [reader], { writes: [{ tree: "." }] }],
    ["a file that is written", [reader], { writes: [{ path: "a" }] }],
  ])("a line with %s does not", (_, commands, extra) => {
    expect(isDenied(commands, extra)).toBe(true);
  });
});
