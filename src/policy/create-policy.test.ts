import { describe, expect, it } from "vitest";
import type { PolicyCall } from "./create-policy.js";
import { callOf, policyWith, readCall, shellCall, writeCall } from "./policy-fixtures.js";
import type { PolicyRule } from "./policy-rule.js";

const allow = (rule: Omit<PolicyRule, "decision"> = {}): PolicyRule => ({ decision: "allow", ...rest(rule) });
const ask = (rule: Omit<PolicyRule, "decision"> = {}): PolicyRule => ({ decision: "ask", ...rest(rule) });
const deny = (rule: Omit<PolicyRule, "decision"> = {}): PolicyRule => ({ decision: "deny", ...rest(rule) });
const rest = (rule: Omit<PolicyRule, "decision">) => rule;
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

describe("built-in denials", () => {
  const hook = writeCall(".git/hooks/pre-commit");

  it.each(["session", "remembered", "workspace"] as const)(
    "hold against an allow rule of the %s",
    (source) => {
      const policy = policyWith({ [source]: [allow({ path: ".git/**" })] });
      expect(policy.decide(hook)).toMatchObject({ behavior: "deny", rule: "built-in:protected-write" });
    },
  );

  it.each(["command-line", "user"] as const)("fall to a rule of the %s that names the path", (source) => {
    expect(policyWith({ [source]: [allow({ path: ".git/**" })] }).decide(hook).behavior).toBe("allow");
    expect(policyWith({ [source]: [ask({ path: ".git/**" })] }).decide(hook).behavior).toBe("ask");
  });

  it("hold against a rule that allows the tool in general", () => {
    expect(policyWith({ user: [allow({ tool: "write_file" })] }).decide(hook).behavior).toBe("deny");
    expect(policyWith({ "command-line": [allow()] }).decide(hook).behavior).toBe("deny");
  });

  it("let an answer of the session through once the user's config lifted them", () => {
    const policy = policyWith({ session: [allow()], user: [ask({ path: ".git/**" })] });
    expect(policy.decide(hook)).toMatchObject({ behavior: "allow", source: "session" });
  });

  it.each([
    ".git",
    ".git/config",
    "packages/x/.git/hooks/post-merge",
    ".GIT/config",
    ".g\u200cit/config",
    "src/../.git/config",
    "/ws/.git/config",
    ".tenon/state.json",
    "tenon.config.ts",
    "TENON.config.yml",
    ".bashrc",
    ".zshenv",
    ".vscode/settings.json",
    ".idea/x.xml",
    ".cursor/rules/x",
    ".claude/settings.json",
    ".mcp.json",
    ".husky/pre-commit",
    "/other/.git/config",
  ])("protect %s in every mode", (path) => {
    for (const mode of ["ask", "auto", "unattended"] as const) {
      expect(policyWith({}, { mode }).decide(writeCall(path)).rule).toBe("built-in:protected-write");
    }
  });

  it.each([
    ".gitignore",
    "git/config",
    "src/.gitkeep",
    "my.tenon/x",
    "docs/tenon.config",
    ".env",
    "src/mcp.json",
  ])("leave %s alone", (path) => {
    expect(policyWith({}, { mode: "auto" }).decide(writeCall(path)).behavior).toBe("allow");
  });

  it("do not stand in the way of reading", () => {
    expect(policyWith().decide(readCall([{ path: ".git/config" }])).behavior).toBe("allow");
  });

  it("ask before build and registry settings are changed, in auto mode too", () => {
    const policy = policyWith({}, { mode: "auto" });
    expect(policy.decide(writeCall(".npmrc"))).toMatchObject({
      behavior: "ask",
      rule: "built-in:careful-write",
    });
    expect(policy.decide(writeCall(".github/workflows/ci.yml")).behavior).toBe("ask");
  });

  it("refuse a command that its analysis refuses, unless the user names it", () => {
    const call = shellCall([{ line: "rm -rf /", denied: "it deletes everything" }]);
    expect(policyWith({ session: [allow()] }).decide(call)).toMatchObject({
      rule: "built-in:denied-command",
    });
    expect(policyWith({ user: [allow({ tool: "bash" })] }).decide(call).behavior).toBe("deny");
    expect(policyWith({ user: [allow({ command: "rm -rf /" })] }).decide(call).behavior).toBe("allow");
  });
});

describe("calls that touch several things", () => {
  it("are allowed only where every path is", () => {
    const policy = policyWith({ user: [allow({ path: "src/**" }), allow({ path: "docs/*.md" })] });
    expect(policy.decide(writeCall(["src/a", "docs/a.md"])).behavior).toBe("allow");
    expect(policy.decide(writeCall(["src/a", "lib/a"]))).toMatchObject({
      behavior: "ask",
      rule: "built-in:dangerous",
    });
    expect(policy.decide(callOf({ writes: [{ path: "src/a" }], reads: [{ path: "lib/a" }] })).behavior).toBe(
      "ask",
    );
  });

  it("are denied where any path is", () => {
    const policy = policyWith({ user: [deny({ path: "secret/**" }), allow()] });
    expect(policy.decide(writeCall(["src/a", "secret/a"]))).toMatchObject({
      behavior: "deny",
      rule: "user#1",
    });
    expect(policy.decide(callOf({ writes: [{ path: "x" }], reads: [{ path: "secret/a" }] })).behavior).toBe(
      "deny",
    );
  });

  it("are judged per command of the line", () => {
    const policy = policyWith({
      user: [allow({ command: ["npm test", "git add"] }), deny({ command: "git push" })],
    });
    expect(policy.decide(shellCall(["npm test", "git add ."])).behavior).toBe("allow");
    expect(policy.decide(shellCall(["npm test", "make"]))).toMatchObject({
      behavior: "ask",
      rule: "built-in:command",
    });
    expect(policy.decide(shellCall(["npm test", "git push"]))).toMatchObject({
      behavior: "deny",
      rule: "user#2",
    });
  });

  it("are judged per host", () => {
    const call = (...hosts: string[]) =>
      callOf({ toolName: "http_post", category: "network", reads: hosts.map((host) => ({ host })) });
    const policy = policyWith({ user: [allow({ host: "*.example.com" }), deny({ host: "evil.org" })] });
    expect(policy.decide(call("a.example.com")).behavior).toBe("allow");
    expect(policy.decide(call("a.example.com", "b.org")).behavior).toBe("ask");
    expect(policy.decide(call("a.example.com", "EVIL.org:443")).behavior).toBe("deny");
  });

  it("need every named kind of thing to match", () => {
    const upload = (path: string, host: string) =>
      callOf({ toolName: "upload", reads: [{ path }, { host }] });
    const policy = policyWith({ user: [allow({ path: "dist/**", host: "cdn.org" })] });
    expect(policy.decide(upload("dist/a", "cdn.org")).behavior).toBe("allow");
    expect(policy.decide(upload("src/a", "cdn.org")).behavior).toBe("ask");
    expect(policy.decide(upload("dist/a", "other.org")).behavior).toBe("ask");
    expect(policy.decide(writeCall("dist/a")).behavior).toBe("ask");
    const mixed = policyWith({ user: [allow({ path: "dist/**", host: "cdn.org" }), allow({ host: "*" })] });
    const both = callOf({ reads: [{ path: "dist/a" }, { host: "cdn.org" }, { host: "other.org" }] });
    expect(mixed.decide(both).behavior).toBe("ask");
    const strict = policyWith({ user: [deny({ path: "src/**", host: "cdn.org" }), allow()] });
    expect(strict.decide(upload("src/a", "cdn.org")).behavior).toBe("deny");
    expect(strict.decide(upload("src/a", "other.org")).behavior).toBe("allow");
    expect(strict.decide(writeCall("src/a")).behavior).toBe("allow");
  });

  it("without paths are no business of a rule about paths", () => {
    const policy = policyWith({ user: [deny({ path: "**" })] });
    expect(policy.decide(callOf({ toolName: "undo_edit" })).rule).toBe("built-in:dangerous");
  });
});

describe("what else a rule can name", () => {
  it("matches tools by glob, alias and folded name", () => {
    const denies = (tool: string | string[], call: PolicyCall) =>
      policyWith({ user: [deny({ tool })] }).decide(call).behavior === "deny";
    expect(denies("write_*", write)).toBe(true);
    expect(denies("*", write)).toBe(true);
    expect(denies("bash", shellCall(["ls"]))).toBe(true);
    expect(denies("Write_File", write)).toBe(true);
    expect(denies("github:*", callOf({ toolName: "github:create_issue", category: "mcp" }))).toBe(true);
    expect(denies(["*", "!write_file"], write)).toBe(false);
    expect(denies("!read_*", write)).toBe(true);
    expect(denies("write", write)).toBe(false);
  });

  it("matches agents and users, and never allows an unknown user by a rule about users", () => {
    const policy = policyWith({
      user: [allow({ agent: "build-*" }), allow({ user: "!guest" }), deny({ user: "!admin" })],
    });
    expect(policy.decide(writeCall("a", { agent: "build-1" })).rule).toBe("user#1");
    expect(policy.decide(writeCall("a", { userId: "ann" })).rule).toBe("user#2");
    expect(policy.decide(writeCall("a", { userId: "guest" })).rule).toBe("user#3");
    expect(policy.decide(writeCall("a")).rule).toBe("user#3");
  });

  it("tells reading from writing by access", () => {
    const policy = policyWith({
      user: [deny({ path: "docs/**", access: "write" }), allow({ path: "**", access: "read" })],
    });
    expect(policy.decide(writeCall("docs/a")).behavior).toBe("deny");
    expect(policy.decide(readCall([{ path: "docs/a" }])).rule).toBe("user#2");
  });

  it("compares Unicode forms loosely only where a rule tightens", () => {
    const decomposed = writeCall("cafe\u0301/x");
    expect(policyWith({ user: [deny({ path: "caf\u00e9/**" })] }).decide(decomposed).behavior).toBe("deny");
    expect(policyWith({ user: [allow({ path: "caf\u00e9/**" })] }).decide(decomposed).behavior).toBe("ask");
  });

  it("ignores case where the file system does", () => {
    const sources = { user: [deny({ path: "secret/**" }), allow({ path: "src/**" })] };
    const folded = policyWith(sources, { caseInsensitive: true });
    expect(folded.decide(writeCall("SECRET/x")).behavior).toBe("deny");
    expect(folded.decide(writeCall("SRC/x")).behavior).toBe("allow");
    expect(policyWith(sources).decide(writeCall("SECRET/x")).behavior).toBe("ask");
  });
});

describe("directories", () => {
  const tree = (path: string, extra: Partial<PolicyCall> = {}) =>
    callOf({ toolName: "delete_file", writes: [{ tree: path }], ...extra });

  it("are denied where something below them is", () => {
    const policy = policyWith({ user: [deny({ path: "a/b/secret.txt" }), allow()] });
    for (const path of ["a", "a/b", ".", "/", "a/b/secret.txt"]) {
      expect(policy.decide(tree(path))).toMatchObject({ behavior: "deny", rule: "user#1" });
    }
    expect(policy.decide(tree("a/c")).behavior).toBe("allow");
    expect(
      policy.decide(callOf({ toolName: "move_file", writes: [{ path: "a" }, { path: "z" }] })).behavior,
    ).toBe("deny");
    expect(policy.decide(writeCall("a/b/other.txt")).behavior).toBe("allow");
  });

  it("ask where something below them may be denied", () => {
    const policy = policyWith({ user: [deny({ path: "**/.env" }), allow()] });
    expect(policy.decide(tree("src"))).toMatchObject({ behavior: "ask", rule: "user#1" });
    expect(policy.decide(tree("."))).toMatchObject({ behavior: "deny", rule: "user#1" });
  });

  it("never let a doubt hide the denial of a weaker rule", () => {
    const policy = policyWith({ user: [deny({ path: "**/.env" })], workspace: [deny({ path: "src/**" })] });
    expect(policy.decide(tree("src"))).toMatchObject({ behavior: "deny", rule: "workspace#1" });
  });

  it("are allowed only by a rule that covers all of them", () => {
    const policy = policyWith({ user: [allow({ path: ["build/**", "!build/keep/**", "**/*.log"] })] });
    expect(policy.decide(tree("build/out")).behavior).toBe("allow");
    expect(policy.decide(tree("build")).behavior).toBe("ask");
    expect(policy.decide(tree("logs")).behavior).toBe("ask");
  });

  it("protect the workspace as a whole", () => {
    expect(policyWith({}, { mode: "auto" }).decide(tree(".")).rule).toBe("built-in:protected-write");
    expect(policyWith({}, { mode: "auto" }).decide(tree("src")).behavior).toBe("allow");
  });

  it("may be read although something in them is denied; a filter leaves that out", () => {
    const policy = policyWith({ user: [allow({ path: "secret/public.md" }), deny({ path: "secret/**" })] });
    const search = readCall([{ tree: "." }], { toolName: "code_query" });
    expect(policy.decide(search).behavior).toBe("allow");
    const visible = policy.pathFilter(search);
    expect(visible?.("src/a.ts")).toBe(true);
    expect(visible?.("secret/key")).toBe(false);
    expect(visible?.("secret/public.md")).toBe(true);
    expect(policyWith().pathFilter(search)).toBeUndefined();
  });
});

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
