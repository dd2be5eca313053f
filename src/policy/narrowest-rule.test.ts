import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coveringRule, narrowestRule } from "./narrowest-rule.js";
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

describe("narrowestRule, for what a shell line and its caller are", () => {
  const rule = (...args: Parameters<typeof shellCall>) => narrowestRule(shellCall(...args));

  it.each([
    ["npm run build --x", "npm run build *"],
    ["npm run-script build", "npm run-script build *"],
    ["pnpm run a b", "pnpm run a *"],
    ["yarn run a", "yarn run a *"],
    ["npm test -- x", "npm test *"],
    ["npm ci", "npm ci *"],
    ["pnpm test", "pnpm test *"],
    ["yarn test", "yarn test *"],
    ["git add a b", "git add *"],
    ["git commit -m x", "git commit *"],
    ["git switch main", "git switch *"],
    ["cargo build", "cargo build *"],
    ["cargo clippy x", "cargo clippy *"],
    ["cargo doc", "cargo doc *"],
    ["npm run", "npm run"],
    ["npm run -x", "npm run -x"],
    ["make all", "make all"],
    ["git push origin", "git push origin"],
  ])("%s is granted as %s", (line, command) => {
    expect(rule([line], { writes: [] })).toEqual({
      decision: "allow",
      tool: "shell_exec",
      command,
      exact: true,
    });
  });

  it.each([
    "/usr/bin/bash x",
    "python3.11 a",
    "BASH.exe x".toLowerCase(),
    "npm -q exec x",
    "docker run a",
    "cmd.EXE /c",
    "node a.js",
  ])("%s is asked for again each time", (line) => {
    expect(rule([line])).toEqual({
      decision: "ask",
      tool: "shell_exec",
      agent: "main",
      command: line.includes("cmd") ? expect.any(String) : line,
      reason: "it cannot be allowed permanently",
    });
  });

  it("says what a command gets besides its words, where that is known and the same for all", () => {
    const withGiven = (...given: (string | null | undefined)[]) =>
      shellCall([], {
        writes: [],
        commands: given.map((each, at) => ({ words: [`c${at}`], known: true, readOnly: false, given: each })),
      });
    expect(narrowestRule(withGiven("in x"))).toMatchObject({ decision: "allow", given: "in x", exact: true });
    expect(narrowestRule(withGiven("in x", "in x"))).toMatchObject({ command: ["c0", "c1"], given: "in x" });
    expect(narrowestRule(withGiven(undefined))).not.toHaveProperty("given");
    expect(narrowestRule(withGiven("in x", undefined)).decision).toBe("ask");
    expect(narrowestRule(withGiven(null)).decision).toBe("ask");
    // What covers it has to leave open what nobody knows.
    expect(coveringRule(withGiven("in x"))).toMatchObject({ command: "c0", exact: true, given: "in x" });
    expect(coveringRule(withGiven("in x", "in y"))).toEqual({
      decision: "allow",
      tool: "shell_exec",
      command: ["c0", "c1"],
    });
    expect(coveringRule(withGiven(null))).toEqual({ decision: "allow", tool: "shell_exec", command: "c0" });
  });

  it("covers a call that nothing narrower describes by its tool and caller", () => {
    const who = { decision: "allow", tool: "shell_exec", agent: "main" };
    const nameless = { words: [], known: true, readOnly: false };
    const unknown = { words: ["a"], known: false, readOnly: false };
    expect(coveringRule(shellCall([], { commands: [nameless] }))).toEqual(who);
    expect(coveringRule(shellCall([], { commands: [unknown] }))).toEqual(who);
    expect(coveringRule(shellCall([], { commands: undefined }))).toEqual(who);
    expect(coveringRule(shellCall(["bash x"], { writes: [] }))).toEqual({
      decision: "allow",
      tool: "shell_exec",
      command: "bash x",
      exact: true,
    });
    expect(coveringRule(writeCall("a"))).toEqual({ decision: "allow", tool: "write_file", path: "a" });
  });

  it("asks again only about commands that it can name", () => {
    const commands = [
      { words: ["bash", "x"], known: true, readOnly: false },
      { words: ["b"], known: false, readOnly: false },
      { words: [], known: true, readOnly: false },
    ];
    expect(rule([], { commands })).toMatchObject({ decision: "ask", command: "bash x" });
    expect(rule([], { commands: commands.slice(1) })).toEqual({
      decision: "ask",
      tool: "shell_exec",
      agent: "main",
      reason: "it cannot be allowed permanently",
    });
  });

  it("grants what a person was asked about: not commands that only read, unless all do", () => {
    const reader = { line: "ls x", readOnly: true };
    expect(rule([reader, "make"])).toMatchObject({ command: "make" });
    expect(rule([reader])).toMatchObject({ command: "ls x" });
    expect(rule([{ ...reader, known: false }, "make"])).toMatchObject({ command: "make" });
  });

  it("names a thousand things at most", () => {
    const paths = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);
    expect(narrowestRule(writeCall(paths(1000)))).toMatchObject({ decision: "allow", path: paths(1000) });
    expect(narrowestRule(writeCall(paths(1001))).decision).toBe("ask");
    expect(rule(paths(1000))).toMatchObject({ decision: "allow", command: paths(1000) });
    expect(rule(paths(1001))).not.toHaveProperty("command");
    const starters = (count: number) => paths(count).map((name) => `bash ${name}`);
    expect(rule(starters(1000))).toMatchObject({ decision: "ask", command: starters(1000) });
    expect(rule(starters(1001))).not.toHaveProperty("command");
    const hosts = readCall(paths(1001).map((host) => ({ host: `${host}.org` })));
    expect(narrowestRule(hosts).decision).toBe("ask");
  });

  it("names who calls, where that is known", () => {
    const caller = { userId: "u*", client: "c", agent: "a" };
    expect(narrowestRule(callOf(caller))).toEqual({
      decision: "allow",
      tool: "write_file",
      agent: "a",
      user: String.raw`u\*`,
      client: "c",
    });
    expect(narrowestRule(callOf({ userId: "", client: "", agent: "" }))).toEqual({
      decision: "allow",
      tool: "write_file",
    });
  });

  it("names paths so that a glob means them and nothing else", () => {
    const pathOf = (path: string) => narrowestRule(writeCall(path)).path;
    expect(pathOf("~/a")).toBe("./~/a");
    expect(pathOf(" a")).toBe("./ a");
    expect(pathOf("a~")).toBe("a~");
    expect(pathOf("a//")).toBe("a");
    expect(pathOf("/")).toBe("/");
    expect(narrowestRule(callOf({ writes: [{ tree: "." }] })).path).toBe("**");
    expect(narrowestRule(callOf({ writes: [{ tree: "a/" }] })).path).toBe("a/**");
    expect(
      narrowestRule(shellCall(["make"], { writes: [{ path: "a" }], reads: [{ path: "b" }] }), ["c*"]).path,
    ).toEqual(["a", String.raw`c\*`]);
  });

  it("grants an install for any package only where all hosts are named", () => {
    const install = (...hosts: string[]) =>
      rule([{ line: "npm install x", sandboxed: true }], {
        writes: [],
        reads: hosts.map((host) => ({ host })),
      }).command;
    expect(install()).toBe("npm install x");
    expect(install("a.org")).toBe("npm install *");
    expect(install("a.org", "*:443")).toBe("npm install x");
    expect(install("*.a.org")).toBe("npm install *");
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
