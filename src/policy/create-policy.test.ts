import { describe, expect, it } from "vitest";
import { allow, ask, callOf, deny, policyWith, readCall, writeCall } from "./policy.fixture.js";

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

describe("explainAll", () => {
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
