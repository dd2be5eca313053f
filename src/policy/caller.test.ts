import { describe, expect, it } from "vitest";
import type { roles } from "../contract/ports/access.js";
import { callOf, policyWith, readCall, shellCall, writeCall } from "./policy.fixture.js";

const allow = (rest: object) => ({ decision: "allow", ...rest }) as const;
const deny = (rest: object) => ({ decision: "deny", ...rest }) as const;

describe("rules about who calls", () => {
  it("match by role, where local use is admin", () => {
    const policy = policyWith({
      user: [deny({ role: ["viewer", "operator"], path: "infra/**" }), allow({})],
    });
    const of = (role?: (typeof roles)[number]) =>
      policy.decide(writeCall("infra/a.tf", role === undefined ? {} : { role })).behavior;
    expect(of("operator")).toBe("deny");
    expect(of("approver")).toBe("allow");
    expect(of()).toBe("allow");
    const forAdmins = policyWith({ user: [allow({ role: "admin" })] });
    expect(forAdmins.decide(writeCall("a")).behavior).toBe("allow");
    expect(forAdmins.decide(writeCall("a", { role: "operator" })).behavior).toBe("ask");
    // Asked in another order, so that nothing of one caller is kept for the next.
    expect(forAdmins.decide(writeCall("a", { role: "admin" })).behavior).toBe("allow");
  });

  it("match by endpoint, and allow nothing that came through none", () => {
    const policy = policyWith({ user: [allow({ endpoint: "!review" })] });
    expect(policy.decide(writeCall("a", { endpoint: "build" })).behavior).toBe("allow");
    expect(policy.decide(writeCall("a", { endpoint: "review" })).behavior).toBe("ask");
    expect(policy.decide(writeCall("a")).behavior).toBe("ask");
    const strict = policyWith({ user: [deny({ endpoint: "!review" }), allow({})] });
    expect(strict.decide(writeCall("a")).behavior).toBe("deny");
    expect(strict.decide(writeCall("a", { endpoint: "review" })).behavior).toBe("allow");
  });

  it("are tried on their own examples", () => {
    const good = allow({
      endpoint: "review",
      role: "operator",
      match: [{ tool: "x", endpoint: "review", role: "operator" }, { tool: "x" }],
      notMatch: [
        { tool: "x", endpoint: "build" },
        { tool: "x", role: "viewer" },
      ],
    });
    expect(() => policyWith({ user: [good] })).not.toThrow();
    const wrong = allow({ endpoint: "review", match: [{ tool: "x", endpoint: "build" }] });
    expect(() => policyWith({ user: [wrong] })).toThrow(/does not match its example match\[0\]/);
    const shape = allow({ match: [{ tool: "x", role: 3 }] });
    expect(() => policyWith({ user: [shape as never] })).toThrow(/role\?, endpoint\?, session\?/);
  });
});

describe("a viewer", () => {
  const policy = policyWith({ user: [allow({})] }, { mode: "auto" });
  it("may read", () => {
    expect(policy.decide(readCall([{ path: "a" }], { role: "viewer" })).behavior).toBe("allow");
  });

  it.each([
    ["writes", writeCall("a")],
    ["a dangerous tool", callOf()],
    ["a tool without traits", callOf({ annotations: {} })],
    ["a tool that reads but names what it writes", readCall([], { writes: [{ path: "a" }] })],
    ["a harmless command", shellCall([{ line: "cat a", readOnly: true, sandboxed: true }])],
  ])("may not do more, whatever the rules allow: %s", (_, call) => {
    expect(policy.decide({ ...call, role: "viewer" })).toMatchObject({
      behavior: "deny",
      rule: "role:viewer",
      code: "ACCESS_DENIED",
    });
    expect(policy.decide({ ...call, role: "operator" }).behavior).toBe("allow");
  });
});
