import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { narrowestRule } from "./narrowest-rule.js";
import { ruleText } from "./rule-text.js";
import { callOf, policyWith, readCall, shellCall, writeCall } from "./policy.fixture.js";

describe("narrowestRule", () => {
  it.each([
    [
      "the one path of a write",
      writeCall("src/a.ts"),
      { decision: "allow", tool: "write_file", path: "src/a.ts" },
    ],
    [
      "all paths",
      callOf({ writes: [{ path: "b" }], reads: [{ path: "a" }] }),
      { decision: "allow", tool: "write_file", path: ["b", "a"] },
    ],
    [
      "a tree",
      callOf({ writes: [{ tree: "dist" }] }),
      { decision: "allow", tool: "write_file", path: "dist/**" },
    ],
    [
      "the host",
      readCall([{ host: "x.org:81" }]),
      { decision: "allow", tool: "read_file", host: "x.org:81" },
    ],
    [
      "a host whose name would be a glob as it stands",
      readCall([{ host: "*.x{1,2}.org" }]),
      { decision: "allow", tool: "read_file", host: String.raw`\*.x\{1,2\}.org` },
    ],
    [
      "an install of any package from the hosts that a sandboxed command names",
      shellCall([{ line: "npm install left-pad", sandboxed: true }], {
        reads: [{ host: "packages.example.org" }, { host: "*.example.com:443" }],
      }),
      {
        decision: "allow",
        tool: "shell_exec",
        command: "npm install *",
        exact: true,
        host: ["packages.example.org", "*.example.com:443"],
      },
    ],
    [
      "an install as it stands where every host may be reached",
      shellCall([{ line: "npm install left-pad", sandboxed: true }], { reads: [{ host: "*" }] }),
      { decision: "allow", tool: "shell_exec", command: "npm install left-pad", exact: true, host: "*" },
    ],
    [
      "an install as it stands without a sandbox",
      shellCall(["npm install left-pad"], { reads: [{ host: "packages.example.org" }] }),
      {
        decision: "allow",
        tool: "shell_exec",
        command: "npm install left-pad",
        exact: true,
        host: "packages.example.org",
      },
    ],
    ["any host at all", readCall([{ host: "*" }]), { decision: "allow", tool: "read_file", host: "*" }],
    [
      "the tool for this agent where nothing is named",
      callOf({ toolName: "deploy" }),
      { decision: "allow", tool: "deploy", agent: "main" },
    ],
    [
      "the user where there is one",
      writeCall("a", { userId: "ann" }),
      { decision: "allow", tool: "write_file", user: "ann", path: "a" },
    ],
    [
      "a command at its arity",
      shellCall(["npm run test --watch"]),
      { decision: "allow", tool: "shell_exec", command: "npm run test *", exact: true },
    ],
    [
      "any other command as it stands",
      shellCall(["rm -r build"]),
      { decision: "allow", tool: "shell_exec", command: "rm -r build", exact: true },
    ],
    [
      "commands that need consent only",
      shellCall([{ line: "ls", readOnly: true }, "git add ."]),
      { decision: "allow", tool: "shell_exec", command: "git add *", exact: true },
    ],
    [
      "what can be granted of a line",
      shellCall(["npm ci", "python x.py"]),
      { decision: "allow", tool: "shell_exec", command: "npm ci *", exact: true },
    ],
    [
      "redirections too",
      shellCall(["make"], { writes: [{ tree: "." }, { path: "log" }] }),
      { decision: "allow", tool: "shell_exec", command: "make", exact: true, path: "log" },
    ],
  ])("grants %s", (_, call, rule) => {
    expect(narrowestRule(call)).toEqual(rule);
  });

  it.each([
    "python x.py",
    "python3.11 -c 1",
    "bash -c ls",
    "/bin/sh x",
    "node x",
    "env x",
    "sudo ls",
    "xargs rm",
    "npx x",
    "npm exec x",
    "docker run x",
    "eval x",
    "ssh h",
    "awk x",
    "uv run x",
  ])("grants nothing for %j, which runs whatever it is given", (line) => {
    const rule = narrowestRule(shellCall([line]));
    expect(rule.decision).toBe("ask");
    expect(policyWith({ session: [rule] }).decide(shellCall([line])).behavior).toBe("ask");
  });

  it("grants nothing for a line that was not understood", () => {
    expect(narrowestRule(shellCall([{ line: "x $y", known: false }])).decision).toBe("ask");
    expect(narrowestRule(callOf({ category: "shell" })).decision).toBe("ask");
  });

  it("does not go beyond the subcommand that options hide", () => {
    expect(narrowestRule(shellCall(["npm --prefix x run test"])).command).toBe("npm --prefix x run test");
    expect(narrowestRule(shellCall(["npm run --silent test"])).command).toBe("npm run --silent test");
  });

  const name = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
    .filter((text) => !/[/\\\0]/.test(text) && !/^\.{1,2}$/.test(text));
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

  it("allows exactly the path of the call, whatever characters it has", () => {
    fc.assert(
      fc.property(path, path, (own, other) => {
        const policy = policyWith({ session: [narrowestRule(writeCall(own))] });
        const decision = policy.decide(writeCall(own));
        expect(decision.rule === "session#1" || decision.rule === "built-in:protected-write").toBe(true);
        fc.pre(own !== other);
        expect(policy.decide(writeCall(other)).rule).not.toBe("session#1");
      }),
    );
  });

  it("allows exactly the words of a command, whatever characters they have", () => {
    const words = fc.array(fc.string({ unit: "grapheme", maxLength: 6 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, words, (own, other) => {
        const call = (list: readonly string[]) =>
          shellCall([], { commands: [{ words: list, known: true, readOnly: false }] });
        const policy = policyWith({ session: [narrowestRule(call(own))] });
        fc.pre(narrowestRule(call(own)).decision === "allow");
        expect(policy.decide(call(own)).behavior).toBe("allow");
        fc.pre(JSON.stringify(own) !== JSON.stringify(other));
        expect(policy.decide(call(other)).behavior).toBe("ask");
        expect(policy.decide(call([...own, "more"])).behavior).toBe("ask");
      }),
    );
  });
});

describe("ruleText", () => {
  it.each([
    [{ decision: "allow", tool: "write_file", path: "src/a.ts" }, "allow write_file on src/a.ts"],
    [{ decision: "deny" }, "deny every tool"],
    [
      { decision: "ask", tool: ["a", "b", "c"], agent: "x", user: "u" },
      "ask a, b or c for the agent x for the user u",
    ],
    [
      { decision: "allow", tool: "shell_exec", command: ["npm run test *", "make"], exact: true },
      "allow shell_exec running `npm run test *` or `make` as it stands",
    ],
    [{ decision: "allow", tool: "http_get", host: "x.org" }, "allow http_get reaching x.org"],
    [
      { decision: "deny", path: String.raw`app/\[id\]/**`, access: "write" },
      "deny every tool changing app/[id]/**",
    ],
  ] as const)("says %j in words", (rule, text) => {
    expect(ruleText(rule)).toBe(text);
  });

  it("shows characters that would deceive the reader", () => {
    expect(ruleText({ decision: "allow", tool: "t", path: "a\nb\u202ec\u200b" })).toBe(
      String.raw`allow t on a\u{a}b\u{202e}c\u{200b}`,
    );
  });
});
