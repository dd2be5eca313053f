import { describe, expect, it } from "vitest";
import type { PolicyCall } from "./create-policy.js";
import type { PolicyRule } from "./policy-rule.js";
import { allow, callOf, deny, policyWith, readCall, shellCall, writeCall } from "./policy.fixture.js";

const write = writeCall("src/a.ts");

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

  it("are denied by a rule about two kinds of things where one of each fits, whatever the order", () => {
    const upload = (paths: string[], hosts: string[]) =>
      callOf({
        toolName: "upload",
        reads: [...paths.map((path) => ({ path })), ...hosts.map((host) => ({ host }))],
      });
    const policy = policyWith({ user: [deny({ path: "secret/**", host: "evil.org" }), allow()] });
    for (const paths of [
      ["open/a", "secret/a"],
      ["secret/a", "open/a"],
    ]) {
      for (const hosts of [
        ["good.org", "evil.org"],
        ["evil.org", "good.org"],
      ]) {
        expect(policy.decide(upload(paths, hosts)).behavior).toBe("deny");
      }
      expect(policy.decide(upload(paths, ["good.org"])).behavior).toBe("allow");
    }
  });

  it("say in words what the rule that decided does", () => {
    const policy = policyWith({
      user: [
        allow({ id: "a", path: "a" }),
        { decision: "ask", id: "b", path: "b" },
        deny({ id: "c", path: "c" }),
      ],
    });
    const reasons = ["a", "b", "c"].map((path) => policy.decide(writeCall(path)).reason);
    expect(reasons).toEqual([
      'the rule "a" allows write_file changing a',
      'the rule "b" requires consent for write_file changing b',
      'the rule "c" denies write_file changing c',
    ]);
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
    const outer = policyWith({ user: [allow({ path: ["/**", "!secret/**"] })] });
    expect(outer.decide(tree("/other")).behavior).toBe("allow");
    expect(outer.decide(tree("/")).rule).toBe("built-in:protected-write");
    const wide = policyWith({
      "command-line": [allow({ path: ["/**", "!secret/**"] })],
      user: [allow({ path: "/**" })],
    });
    expect(wide.decide(tree("/")).rule).toBe("user#1");
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

describe("commands with hosts", () => {
  const host = "packages.example.org";
  const install = (hosts: readonly string[], line = "npm install left-pad") =>
    shellCall([{ line, sandboxed: true }], { reads: hosts.map((each) => ({ host: each })) });
  const behaviors = (rules: readonly PolicyRule[], calls: readonly PolicyCall[]) =>
    calls.map((call) => policyWith({ user: rules }).decide(call).behavior);

  it("are allowed by a rule that names both the command and each host", () => {
    const rules = [allow({ command: "npm install *", host: [host, "*.example.com"] })];
    expect(
      behaviors(rules, [
        install([host]),
        install([`${host}:443`]),
        install([host, "cdn.example.com"]),
        install(["*.example.com"]),
        install([host, "other.example.net"]),
        install(["*"]),
        install(["*.example.org"]),
        install([]),
        install([host], "npm publish"),
      ]),
    ).toEqual(["allow", "allow", "allow", "allow", "ask", "ask", "ask", "ask", "ask"]);
  });

  it("are denied by a rule that names the command and one of the hosts", () => {
    const rules = [deny({ command: "npm publish", host }), allow({ command: "npm *", host: "*" })];
    expect(
      behaviors(rules, [install([host, "a.example.com"], "npm publish"), install([host]), install(["*"])]),
    ).toEqual(["deny", "allow", "allow"]);
  });

  it("ask where wildcards may include a host that a rule denies", () => {
    const rules = [
      deny({ host: "secret.example.com" }),
      deny({ host: "*.corp.example.net" }),
      allow({ host: "*" }),
      allow({ command: "*" }),
    ];
    expect(
      behaviors(rules, [
        install(["*.example.com"]),
        install(["*"]),
        install(["*.example.net"]),
        install(["*.a.corp.example.net"]),
        install(["*.example.org"]),
        install(["public.example.com"]),
      ]),
    ).toEqual(["ask", "ask", "ask", "deny", "allow", "allow"]);
  });
});
