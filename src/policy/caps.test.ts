import { describe, expect, it } from "vitest";
import { allow, callOf, policyWith, readCall, shellCall } from "./policy.fixture.js";

describe("capabilities and levels", () => {
  const needy = callOf({ capabilities: ["deploy", "network"] });

  it("deny a tool whose capabilities the agent lacks, whatever the rules say", () => {
    const rules = { "command-line": [allow()] };
    expect(policyWith(rules).decide(needy)).toMatchObject({
      behavior: "deny",
      rule: "capability",
      code: "CAPABILITY_MISSING",
    });
    expect(policyWith(rules, { capabilities: ["deploy"] }).decide(needy).reason).toContain(
      "the capability network,",
    );
    expect(policyWith(rules, { capabilities: ["deploy", "network"] }).decide(needy).behavior).toBe("allow");
    expect(policyWith(rules, { capabilities: ["*"] }).decide(needy).behavior).toBe("allow");
  });

  it("are denied in words that stay short however long the agent's name is", () => {
    const { reason } = policyWith().decide({ ...needy, agent: "x".repeat(5000) });
    expect(reason).toContain(`the agent ${"x".repeat(100)}…`);
    expect(reason.length).toBeLessThan(400);
  });

  it("are granted per agent", () => {
    const capabilities = { "*": ["network"], main: ["deploy"] };
    const policy = policyWith({ user: [allow()] }, { capabilities });
    expect(policy.decide(needy).behavior).toBe("allow");
    expect(policy.decide({ ...needy, agent: "other" }).rule).toBe("capability");
    for (const agent of ["__proto__", "constructor", "toString"]) {
      expect(policy.decide({ ...needy, agent }).rule).toBe("capability");
    }
  });

  it.each([
    ["safe", readCall()],
    ["low", readCall([], { annotations: { readOnly: true, openWorld: true } })],
    ["low", callOf({ category: "planning", annotations: {} })],
    ["high", callOf()],
    ["critical", shellCall(["ls"])],
    ["critical", callOf({ category: "code" })],
    ["medium", callOf({ securityLevel: "medium" })],
  ] as const)("take a tool for %s", (level, call) => {
    const levels = ["safe", "low", "medium", "high", "critical"] as const;
    for (const [index, securityLevel] of levels.entries()) {
      const { rule } = policyWith({ "command-line": [allow()] }, { securityLevel }).decide(call);
      expect(rule === "security-level").toBe(index < levels.indexOf(level));
    }
  });
});

describe("the allowed commands", () => {
  const policy = policyWith({ "command-line": [allow()] }, { allowedCommands: ["ls", "git"] });

  it.each(["ls", "git push", "/usr/bin/git status"])("let %j be judged by the rules", (line) => {
    expect(policy.decide(shellCall([line])).behavior).toBe("allow");
  });

  it.each(["rm x", "./ls", "/tmp/ls", "lsx"])("deny %j, whatever the rules say", (line) => {
    expect(policy.decide(shellCall(["ls", line]))).toMatchObject({
      behavior: "deny",
      rule: "allowed-commands",
    });
  });

  it("deny what nobody knows, and say nothing about other tools", () => {
    const unknown = { words: [], known: false, readOnly: false };
    expect(policy.decide(shellCall([], { commands: [unknown] })).rule).toBe("allowed-commands");
    expect(policy.decide(shellCall([], { commands: undefined })).rule).toBe("allowed-commands");
    expect(policy.decide(callOf()).behavior).toBe("allow");
  });
});
