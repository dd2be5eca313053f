import { describe, expect, it } from "vitest";
import type { PolicyCall } from "./create-policy.js";
import { allow, ask, callOf, deny, policyWith, readCall, shellCall, writeCall } from "./policy.fixture.js";
import type { PolicyRule } from "./policy-rule.js";

const write = writeCall("src/a.ts");

describe("the defaults", () => {
  const tool = (category: PolicyCall["category"], annotations: PolicyCall["annotations"]) =>
    callOf({ toolName: "x", category, annotations });

  it.each([
    ["a tool that only reads", tool("file", { readOnly: true }), "allow", "built-in:read-only"],
    [
      "a tool that reads from outside",
      tool("network", { readOnly: true, openWorld: true }),
      "ask",
      "built-in:open-world",
    ],
    ["a dangerous tool", tool("custom", { dangerous: true }), "ask", "built-in:dangerous"],
    ["a tool that keeps its own state", tool("planning", {}), "allow", "built-in:own-state"],
    ["a tool that changes things outside", tool("custom", { openWorld: true }), "ask", "built-in:open-world"],
    ["a foreign tool without annotations", tool("mcp", {}), "ask", "built-in:dangerous"],
    ["a foreign tool that says it only reads", tool("mcp", { readOnly: true }), "ask", "built-in:open-world"],
    [
      "a foreign tool that reads nothing outside",
      tool("mcp", { readOnly: true, openWorld: false }),
      "allow",
      "built-in:read-only",
    ],
    ["a harmless tool that writes a file", writeCall("a", { annotations: {} }), "ask", "built-in:dangerous"],
    ["a reading tool that reaches a host", readCall([{ host: "x.org" }]), "ask", "built-in:open-world"],
    [
      "a command that only reads",
      shellCall([{ line: "ls", readOnly: true }]),
      "allow",
      "built-in:read-only-command",
    ],
    [
      "a command that is not known",
      shellCall([{ line: "ls", readOnly: true, known: false }]),
      "ask",
      "built-in:command",
    ],
    [
      "a command that only reads, with nothing to hold it",
      shellCall([{ line: "ls", readOnly: true, sandboxed: false }]),
      "ask",
      "built-in:command",
    ],
    ["any other command", shellCall(["npm test"]), "ask", "built-in:command"],
    ["a line without analysis", callOf({ category: "shell" }), "ask", "built-in:command"],
  ])("for %s", (_, call, behavior, rule) => {
    expect(policyWith().decide(call)).toMatchObject({ behavior, rule, source: "built-in" });
  });

  it("ask before a command writes to a file by redirection", () => {
    const call = shellCall([{ line: "ls", readOnly: true }], {
      writes: [{ tree: "." }, { path: "out.txt" }],
    });
    expect(policyWith().decide(call)).toMatchObject({ behavior: "ask", rule: "built-in:dangerous" });
  });

  it("let a path that a command changes by itself tighten, but not demand consent", () => {
    const copy = (path: string) => shellCall(["cp a b"], { changes: [path] });
    const policy = policyWith({ user: [allow({ command: "cp" })] });
    expect(policy.decide(copy("b")).behavior).toBe("allow");
    expect(policy.decide(copy(".git/hooks/x"))).toMatchObject({
      behavior: "deny",
      rule: "built-in:protected-write",
    });
    expect(policy.decide(copy(".npmrc"))).toMatchObject({ behavior: "ask", rule: "built-in:careful-write" });
  });

  it("say why it is not known what a command does", () => {
    const call = shellCall([{ line: "npm test", known: false, why: "PATH was changed" }]);
    expect(policyWith().decide(call).reason).toContain("PATH was changed");
  });

  it.each<[string, PolicyCall, string]>([
    ["reads", readCall(), "it only reads"],
    ["keeps state", tool("planning", {}), "it changes nothing outside Tenon"],
    [
      "reaches a host with a harmless tool",
      readCall([{ host: "x.org" }]),
      "it sends requests to other machines, which can carry data out",
    ],
    [
      "reaches a host with a dangerous tool",
      callOf({ reads: [{ host: "x.org" }] }),
      "it changes files, runs commands or sends data out",
    ],
    ["runs a reading command", shellCall([{ line: "ls", readOnly: true }]), "the command only reads"],
    ["runs any command", shellCall(["make"]), "the command is not known to be harmless"],
    [
      "runs a reading command that nothing holds",
      shellCall([{ line: "ls", readOnly: true, sandboxed: false }]),
      "the command only reads, but no sandbox is available",
    ],
    [
      "runs a command that nothing holds",
      shellCall([{ line: "make", sandboxed: false }]),
      "the command is not known to be harmless",
    ],
    [
      "runs an unknown command",
      shellCall([{ line: "ls", known: false }]),
      "what the command does is not known until it runs",
    ],
  ])("say why, for a call that %s", (_, call, why) => {
    expect(policyWith().decide(call).reason.endsWith(`: ${why}`)).toBe(true);
  });

  it("let a path that a command reads tighten, but not demand consent", () => {
    const call = shellCall([{ line: "cat .env", readOnly: true }], { writes: [], reads: [{ path: ".env" }] });
    expect(policyWith().decide(call).behavior).toBe("allow");
    expect(policyWith({ user: [deny({ path: ".env" })] }).decide(call).behavior).toBe("deny");
    expect(policyWith({ user: [allow({ path: ".env" })] }).decide(call).rule).toBe(
      "built-in:read-only-command",
    );
  });
});

describe("modes", () => {
  it("auto lets file changes in the workspace and sandboxed commands run unasked", () => {
    const policy = policyWith({}, { mode: "auto" });
    const held = { line: "npm test", sandboxed: true };
    expect(policy.decide(write)).toMatchObject({ behavior: "allow", rule: "built-in:auto-workspace" });
    expect(policy.decide(callOf({ toolName: "undo_edit" })).behavior).toBe("allow");
    expect(policy.decide(callOf({ reads: [{ path: "a" }], writes: [{ path: "b" }] })).behavior).toBe("allow");
    expect(policy.decide(shellCall([held]))).toMatchObject({
      behavior: "allow",
      rule: "built-in:auto-sandbox",
    });
    expect(policy.decide(shellCall([held, "make"])).behavior).toBe("ask");
    expect(policy.decide(writeCall("/etc/hosts")).behavior).toBe("ask");
    expect(policy.decide(writeCall("../x")).behavior).toBe("ask");
    expect(policy.decide(callOf({ toolName: "http_post", category: "network" })).behavior).toBe("ask");
    expect(
      policy.decide(writeCall("a", { annotations: { dangerous: true, openWorld: true } })).behavior,
    ).toBe("ask");
    expect(policy.decide(writeCall("a", { category: "code" })).behavior).toBe("ask");
    expect(
      policy.decide(callOf({ category: "custom", reads: [{ path: "a" }], writes: [{ lock: "l" }] })).behavior,
    ).toBe("ask");
    expect(
      policy.decide(readCall([], { category: "network", annotations: { readOnly: true, openWorld: true } }))
        .behavior,
    ).toBe("ask");
  });

  it.each<[string, PolicyCall, string]>([
    ["a path in the workspace", write, "auto-workspace"],
    ["a tree in the workspace", callOf({ writes: [{ tree: "src" }] }), "auto-workspace"],
    ["a path outside", writeCall("/etc/x"), "dangerous"],
    ["a path in the workspace and one outside", writeCall(["a", "/etc/x"]), "dangerous"],
    ["a tool of another kind that writes", writeCall("a", { category: "custom" }), "auto-workspace"],
    ["a tool of another kind that writes nothing", callOf({ category: "custom" }), "dangerous"],
    [
      "what a tool of another kind reads for a change",
      callOf({ category: "custom", reads: [{ path: "/etc/x" }], writes: [{ path: "a" }] }),
      "auto-workspace",
    ],
    [
      "what a tool of another kind reads for a change of a tree",
      callOf({ category: "custom", reads: [{ path: "b" }], writes: [{ lock: "l" }, { tree: "a" }] }),
      "auto-workspace",
    ],
    [
      "what a tool of another kind reads without a change",
      callOf({ category: "custom", reads: [{ path: "b" }], writes: [{ lock: "l" }] }),
      "dangerous",
    ],
    [
      "a file tool that reaches other machines",
      callOf({ annotations: { dangerous: true, openWorld: true } }),
      "dangerous",
    ],
    [
      "a file that a held command writes",
      shellCall([{ line: "a", sandboxed: true }], { writes: [{ path: "/etc/x" }] }),
      "auto-sandbox",
    ],
    [
      "a file outside that two commands write, one of them not held",
      shellCall(
        [
          { line: "a", sandboxed: true },
          { line: "b", readOnly: true },
        ],
        { writes: [{ path: "/etc/x" }] },
      ),
      "dangerous",
    ],
    ["a host", callOf({ reads: [{ host: "x.org" }] }), "dangerous"],
    [
      "an unknown command that the sandbox holds",
      shellCall([{ line: "a", known: false, sandboxed: true }]),
      "auto-sandbox",
    ],
    ["an unknown command", shellCall([{ line: "a", known: false }]), "command"],
  ])("auto decides about %s", (_, call, rule) => {
    expect(policyWith({}, { mode: "auto" }).decide(call).rule).toBe(`built-in:${rule}`);
  });

  it("auto still heeds rules that ask or deny, and doubts about unknown commands", () => {
    const policy = policyWith(
      { workspace: [ask({ path: "src/**" }), deny({ command: "curl" })] },
      { mode: "auto" },
    );
    expect(policy.decide(write)).toMatchObject({ behavior: "ask", rule: "workspace#1" });
    expect(policy.decide(shellCall([{ line: "curl x", sandboxed: true }])).behavior).toBe("deny");
    expect(policy.decide(shellCall([{ line: "x", known: false, sandboxed: true }]))).toMatchObject({
      behavior: "ask",
      rule: "workspace#2",
    });
    expect(policy.decide(callOf({ category: "shell" })).behavior).toBe("ask");
  });

  it("read-only runs nothing that changes anything, whatever the rules say", () => {
    const policy = policyWith({ "command-line": [allow()] }, { mode: "read-only" });
    expect(policy.decide(write)).toMatchObject({ behavior: "deny", rule: "mode:read-only", source: "mode" });
    expect(policy.decide(shellCall([{ line: "ls", readOnly: true }])).behavior).toBe("deny");
    expect(policy.decide(callOf({ category: "planning", annotations: {} })).behavior).toBe("deny");
    expect(policy.decide(readCall([], { writes: [{ path: "x" }] })).behavior).toBe("deny");
    expect(policy.decide(readCall([{ path: "a" }])).behavior).toBe("allow");
    expect(policyWith({}, { mode: "read-only" }).decide(readCall([{ host: "x.org" }])).behavior).toBe("ask");
  });

  it("unattended denies what would ask and names the rule that would allow it", () => {
    const policy = policyWith({}, { mode: "unattended" });
    const decision = policy.decide(write);
    expect(decision).toMatchObject({
      behavior: "deny",
      rule: "built-in:dangerous",
      code: "APPROVAL_UNAVAILABLE",
    });
    expect(decision.reason).toContain('{"decision":"allow","tool":"write_file","path":"src/a.ts"}');
    expect(policy.decide(readCall()).behavior).toBe("allow");
  });

  it("unattended names a rule that really allows the call", () => {
    const calls = [
      write,
      writeCall(["a", "[b]*"]),
      callOf({ writes: [{ tree: "dir" }], reads: [{ path: "/etc/x" }] }),
      callOf({ category: "custom", toolName: "deploy" }),
      callOf({ category: "network", reads: [{ host: "x.org:8080" }] }),
      shellCall(["npm run test --watch", "python x.py", "rm -r a"]),
      shellCall([{ line: "a", known: false }]),
      shellCall(["make"], { writes: [{ tree: "." }, { path: "out.txt" }] }),
      callOf({ category: "shell" }),
      writeCall("a", { userId: "ann" }),
    ];
    for (const call of calls) {
      const { hint = "" } = policyWith({}, { mode: "unattended" }).decide(call);
      const rule = JSON.parse(hint.slice(hint.indexOf("{"))) as PolicyRule;
      const decision = policyWith({ user: [rule] }, { mode: "unattended" }).decide(call);
      expect(decision).toMatchObject({ behavior: "allow", rule: "user#1" });
    }
  });
});
