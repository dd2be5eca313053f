import { describe, expect, it } from "vitest";
import type { PolicyCall } from "./create-policy.js";
import { allow, ask, callOf, deny, policyWith, readCall, shellCall, writeCall } from "./policy.fixture.js";
import type { PolicyRule } from "./policy-rule.js";

const write = writeCall("src/a.ts");

describe("the order of sources", () => {
  const order = ["command-line", "session", "user", "remembered", "workspace"] as const;
  for (const [index, stronger] of order.entries()) {
    for (const weaker of order.slice(index + 1)) {
      it(`lets ${stronger} decide before ${weaker}`, () => {
        const loose = policyWith({ [stronger]: [allow()], [weaker]: [deny()] }).decide(write);
        const tight = policyWith({ [weaker]: [allow()], [stronger]: [deny()] }).decide(write);
        expect(loose).toMatchObject({ behavior: "allow", rule: `${stronger}#1`, source: stronger });
        expect(tight).toMatchObject({ behavior: "deny", rule: `${stronger}#1`, source: stronger });
      });
    }
  }

  it("lets the first match of one source decide", () => {
    const policy = policyWith({ user: [allow({ path: "src/**" }), deny({ path: "**" })] });
    expect(policy.decide(write)).toMatchObject({ behavior: "allow", rule: "user#1" });
    expect(policy.decide(writeCall("lib/a.ts"))).toMatchObject({ behavior: "deny", rule: "user#2" });
  });

  it("names the rule by its own id and tells its reason", () => {
    const policy = policyWith({
      user: [deny({ id: "hands-off", path: "src/**", reason: "frozen for release" })],
    });
    const decision = policy.decide(write);
    expect(decision).toMatchObject({ behavior: "deny", rule: "hands-off", source: "user" });
    expect(decision.reason).toBe(
      'the rule "hands-off" denies write_file changing src/a.ts: frozen for release',
    );
  });
});

describe("changing rules", () => {
  it("adds a session's answer for that session only, and forgets it at its end", () => {
    const policy = policyWith();
    const id = policy.addRule("session", allow({ path: "src/**" }), { sessionId: "s1" });
    expect(policy.decide(write)).toMatchObject({ behavior: "allow", rule: id, source: "session" });
    expect(policy.decide(writeCall("src/a.ts", { sessionId: "s2" })).behavior).toBe("ask");
    policy.endSession("s1");
    expect(policy.decide(write).behavior).toBe("ask");
  });

  it("lets the latest answer count and takes rules back", () => {
    const policy = policyWith({ remembered: [allow({ id: "old", tool: "write_file" })] });
    expect(policy.decide(write).rule).toBe("old");
    const id = policy.addRule("remembered", deny({ tool: "write_file" }));
    expect(policy.decide(write)).toMatchObject({ behavior: "deny", rule: id });
    expect(policy.removeRule(id)).toBe(true);
    expect(policy.removeRule(id)).toBe(false);
    expect(policy.decide(write).rule).toBe("old");
  });

  it("gives each rule a name of its own", () => {
    const policy = policyWith({ user: [allow(), { ...deny(), id: "user#3" }] });
    expect([policy.addRule("user", ask()), policy.addRule("user", ask())]).toEqual(["user#4", "user#5"]);
    policy.removeRule("user#5");
    expect(policy.addRule("user", ask())).toBe("user#6");
    expect(policy.rules().map(({ id }) => id)).toEqual([
      "user#6",
      "user#4",
      "user#1",
      "user#3",
      "built-in:protected-write",
      "built-in:careful-write",
    ]);
  });

  it("keeps the built-in rules", () => {
    const policy = policyWith();
    expect(policy.removeRule("built-in:protected-write")).toBe(false);
    expect(policy.decide(writeCall(".git/x")).behavior).toBe("deny");
  });

  it("is not changed by changing a rule that was loaded", () => {
    const path = ["secret/**"];
    const policy = policyWith({ user: [deny({ path })] });
    path[0] = "nothing";
    expect(policy.decide(writeCall("secret/a")).behavior).toBe("deny");
    expect(policy.rules()[0]?.rule.path).toEqual(["secret/**"]);
  });
});

describe("what is kept between calls", () => {
  it("tells versions of one tool apart", () => {
    const policy = policyWith();
    expect(policy.decide(callOf({ annotations: { readOnly: true } })).behavior).toBe("allow");
    expect(policy.decide(callOf()).behavior).toBe("ask");
    expect(policy.decide(callOf({ annotations: { readOnly: true } })).behavior).toBe("allow");
    expect(policy.decide(callOf({ annotations: {} })).rule).toBe("built-in:own-state");
    expect(policy.decide(callOf({ annotations: { openWorld: true } })).rule).toBe("built-in:open-world");
    expect(policy.decide(callOf({ capabilities: ["x"], annotations: {} })).rule).toBe("capability");
  });

  it("tells callers apart whose names look alike when joined", () => {
    const policy = policyWith({ user: [allow({ agent: "a", user: "b1:c" })] });
    policy.addRule("session", deny(), { sessionId: "gone" });
    expect(policy.decide(writeCall("x", { agent: "a", userId: "b1:c", sessionId: "s" })).behavior).toBe(
      "allow",
    );
    expect(policy.decide(writeCall("x", { agent: "a1:b", userId: "c", sessionId: "s" })).behavior).toBe(
      "ask",
    );
    expect(policy.decide(writeCall("x", { agent: "a", userId: "b", sessionId: "1:cs" })).behavior).toBe(
      "ask",
    );
  });

  it("survives hostile and endless names", () => {
    const policy = policyWith({ user: [deny({ agent: "bad" })] });
    for (const toolName of ["__proto__", "constructor", "hasOwnProperty"]) {
      expect(policy.decide(callOf({ toolName })).behavior).toBe("ask");
      expect(policy.decide(callOf({ toolName, agent: "bad" })).behavior).toBe("deny");
    }
    for (let index = 0; index < 10_000; index++) policy.decide(callOf({ agent: `agent-${index}` }));
    expect(policy.decide(callOf({ agent: "bad" })).behavior).toBe("deny");
  });

  it("returns decisions that nobody can change", () => {
    const decision = policyWith().decide(readCall());
    expect(Object.isFrozen(decision)).toBe(true);
  });
});

describe("a policy with rules to try", () => {
  const policy = policyWith({
    user: [deny({ id: "mine", path: "src/**" })],
    workspace: [ask({ id: "theirs" })],
  });
  const added = policy.addRule("session", allow({ path: "lib/**" }), { sessionId: "s1" });
  const tried = policy.withFirst([
    allow({ id: "first", path: "src/a*" }),
    deny({ id: "second", path: "src/*" }),
  ]);

  it("lets them decide before all others, in their order, and keeps the others as they are", () => {
    expect(tried.rules().map(({ id, source, sessionId }) => [id, source, sessionId])).toEqual([
      ["first", "command-line", undefined],
      ["second", "command-line", undefined],
      [added, "session", "s1"],
      ["mine", "user", undefined],
      ["theirs", "workspace", undefined],
      ["built-in:protected-write", "built-in", undefined],
      ["built-in:careful-write", "built-in", undefined],
    ]);
    expect(tried.decide(write).rule).toBe("first");
    expect(tried.decide(writeCall("src/b")).rule).toBe("second");
    expect(tried.decide(writeCall("src/b/c")).rule).toBe("mine");
    expect(tried.decide(writeCall("lib/b")).rule).toBe(added);
    expect(tried.decide(writeCall("lib/b", { sessionId: "s2" })).rule).toBe("theirs");
  });

  it("leaves the policy alone", () => {
    expect(policy.decide(write).rule).toBe("mine");
    expect(policy.rules()).toHaveLength(5);
    expect(policy.rules()[0]).toHaveProperty("sessionId", "s1");
    expect(policy.rules()[1]).not.toHaveProperty("sessionId");
  });
});

describe("what auto mode would allow", () => {
  it("is known in any mode", () => {
    for (const mode of ["ask", "unattended"] as const) {
      const policy = policyWith({ user: [deny({ path: "secret" })] }, { mode });
      expect(policy.allowsInAuto(write)).toBe(true);
      expect(policy.allowsInAuto(writeCall("secret"))).toBe(false);
      expect(policy.allowsInAuto(writeCall("/etc/x"))).toBe(false);
      expect(policy.allowsInAuto(callOf({ category: "network" }))).toBe(false);
    }
  });
});

describe("explainCommands", () => {
  it("judges every command of a line by itself", () => {
    const policy = policyWith({ user: [deny({ id: "no-rm", command: "rm", reason: "keep it" })] });
    const call = shellCall([{ line: "ls", readOnly: true }, "rm -r a", "make"], { writes: [{ path: "b" }] });
    expect(policy.explainCommands(call)).toEqual([
      {
        command: "ls",
        decision: "allow",
        rule: "built-in:read-only-command",
        source: "built-in",
        reason: "the command only reads",
      },
      { command: "rm -r a", decision: "deny", rule: "no-rm", source: "user", reason: "keep it" },
      {
        command: "make",
        decision: "ask",
        rule: "built-in:command",
        source: "built-in",
        reason: "the command is not known to be harmless",
      },
    ]);
    expect(policy.explainCommands(write)).toEqual([]);
  });

  it("goes by the mode", () => {
    const call = shellCall([{ line: "make", sandboxed: true }]);
    expect(policyWith({}, { mode: "auto" }).explainCommands(call)[0]?.rule).toBe("built-in:auto-sandbox");
  });
});

describe("a rule with several conditions", () => {
  const decide = (call: PolicyCall, ...user: PolicyRule[]) => policyWith({ user }).decide(call).rule;
  const line = (extra: Partial<PolicyCall>) => shellCall(["make"], { writes: [], ...extra });

  it("allows a command only with paths that it allows too", () => {
    const rule = allow({ command: "make", path: "out/**" });
    expect(decide(line({ writes: [{ path: "out/a" }] }), rule)).toBe("user#1");
    expect(decide(line({ writes: [{ path: "out/a" }, { path: "b" }] }), rule)).not.toBe("user#1");
    expect(decide(line({}), rule)).not.toBe("user#1");
    // What a command reads or changes by itself needs no consent of its own.
    expect(decide(line({ writes: [{ path: "out/a" }], reads: [{ path: "b" }] }), rule)).toBe("user#1");
    expect(decide(line({ writes: [{ path: "out/a" }], changes: ["b"] }), rule)).toBe("user#1");
  });

  it("regards only the paths of its access", () => {
    const rule = allow({ path: "out/**", access: "write", host: "x.org" });
    const reach = (extra: Partial<PolicyCall>) => callOf({ reads: [{ host: "x.org" }], ...extra });
    expect(decide(reach({ writes: [{ path: "out/a" }] }), rule)).toBe("user#1");
    expect(decide(reach({ writes: [{ path: "a" }] }), rule)).not.toBe("user#1");
    const reads = reach({ reads: [{ host: "x.org" }, { path: "a" }], writes: [{ path: "out/a" }] });
    expect(decide(reads, rule)).toBe("built-in:dangerous");
  });

  it("denies where one thing of each kind is met", () => {
    const rule = deny({ command: "make", path: "out/**", host: "x.org" });
    const paths = { writes: [{ path: "b" }, { path: "out/a" }] };
    expect(decide(line({ ...paths, reads: [{ host: "y.org" }, { host: "x.org" }] }), rule)).toBe("user#1");
    expect(decide(line({ ...paths, reads: [{ host: "y.org" }] }), rule)).not.toBe("user#1");
    expect(decide(line({ reads: [{ host: "x.org" }] }), rule)).not.toBe("user#1");
    expect(decide(shellCall(["ls"], { ...paths, reads: [{ host: "x.org" }] }), rule)).not.toBe("user#1");
  });

  it("is about a caller by client, endpoint, role and session", () => {
    const who = { client: "c", endpoint: "e", role: "operator", sessionId: "s" } as const;
    const rule = deny({ client: "c", endpoint: "e", role: "operator", session: "s" });
    expect(decide(callOf(who), rule)).toBe("user#1");
    for (const change of [{ client: "d" }, { endpoint: "f" }, { role: "admin" }, { sessionId: "t" }] as const)
      expect(decide(callOf({ ...who, ...change }), rule)).not.toBe("user#1");
    // Nobody is not "anybody but x", and without a role it is an admin.
    expect(decide(callOf(), allow({ client: "!x" }))).not.toBe("user#1");
    expect(decide(callOf(), deny({ client: "!x" }))).toBe("user#1");
    expect(decide(callOf(), deny({ role: "admin" }))).toBe("user#1");
  });
});

describe("what lifts a denial that Tenon comes with", () => {
  const hooks = writeCall(".git/hooks/x");

  it("is a rule of the command line or of the user that names the path", () => {
    const decide = (sources: Parameters<typeof policyWith>[0]) => policyWith(sources).decide(hooks);
    expect(decide({ "command-line": [allow({ path: ".git/**" })] }).rule).toBe("command-line#1");
    expect(decide({ user: [ask({ path: ".git/**" })] }).rule).toBe("user#1");
    expect(decide({ workspace: [allow({ path: ".git/**" })] }).rule).toBe("built-in:protected-write");
    expect(decide({ user: [allow()] }).rule).toBe("built-in:protected-write");
    expect(decide({ user: [allow({ path: "src/**" })] }).rule).toBe("built-in:protected-write");
    // The first of them that matches counts.
    expect(
      decide({ workspace: [allow()], user: [deny({ path: ".git/**" }), allow({ path: ".git/**" })] }).rule,
    ).toBe("user#1");
  });

  it("is a rule that names the command that should never run", () => {
    const line = shellCall([{ line: "rm -rf /", denied: "it deletes everything" }], { writes: [] });
    expect(policyWith().decide(line)).toEqual({
      behavior: "deny",
      rule: "built-in:denied-command",
      source: "built-in",
      reason:
        'the rule "built-in:denied-command" denies shell_exec running `rm -rf /`: it deletes everything',
    });
    expect(policyWith({ user: [allow({ command: "rm" })] }).decide(line).behavior).toBe("allow");
    expect(policyWith({ user: [allow()] }).decide(line).behavior).toBe("deny");
  });
});

describe("explainAll", () => {
  it("explains a call that touches nothing by its tool", () => {
    const policy = policyWith({ user: [deny({ tool: "write_file" })] });
    expect(policy.explainAll(callOf())[0]).toMatchObject({ id: "user#1", about: "write_file" });
  });

  it("lists every rule that matches or may match, strongest first", () => {
    const policy = policyWith({
      user: [deny({ path: "**/.env" })],
      "command-line": [allow({ tool: "delete_file" })],
    });
    const call = callOf({ toolName: "delete_file", writes: [{ tree: "src" }] });
    expect(policy.explainAll(call)).toEqual([
      {
        id: "command-line#1",
        source: "command-line",
        decision: "allow",
        about: "delete_file changing src",
        certain: true,
      },
      { id: "user#1", source: "user", decision: "deny", about: "delete_file changing src", certain: false },
      {
        id: "built-in:protected-write",
        source: "built-in",
        decision: "deny",
        about: "delete_file changing src",
        certain: false,
      },
      {
        id: "built-in:careful-write",
        source: "built-in",
        decision: "ask",
        about: "delete_file changing src",
        certain: false,
      },
    ]);
  });
});
