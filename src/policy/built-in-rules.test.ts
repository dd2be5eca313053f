import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtInRules, carefulPathGlobs, protectedPathGlobs } from "./built-in-rules.js";
import { allow, ask, policyWith, readCall, shellCall, writeCall } from "./policy.fixture.js";

describe("the built-in rules", () => {
  const page = readFileSync(new URL("../../docs/reference/policy.md", import.meta.url), "utf8");

  it.each([...protectedPathGlobs, ...carefulPathGlobs, ...builtInRules.map(({ id }) => id ?? "")])(
    "are in the reference: %s",
    (text) => {
      expect(page).toContain(`\`${text}\``);
    },
  );

  it("stand last in the list of rules", () => {
    const ids = policyWith({ user: [{ decision: "allow" }] })
      .rules()
      .map(({ id }) => id);
    expect(ids).toEqual(["user#1", ...builtInRules.map(({ id }) => id)]);
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

  it.each([".cargo", "a/.GITHUB", ".config"])(
    "ask before a folder or a link with what they are about in it may get a place, or loses it: %s",
    (tree) => {
      const call = { ...writeCall("x"), writes: [{ tree: "x" }, { tree }] };
      for (const mode of ["auto", "unattended"] as const) {
        const answer = { auto: "ask", unattended: "deny" }[mode];
        expect(policyWith({}, { mode }).decide(call).behavior).toBe(answer);
      }
      const user = [allow({ path: [`${tree}/**`, "x/**"] })];
      expect(policyWith({ user }, { mode: "auto" }).decide(call).behavior).toBe("allow");
      const auto = policyWith({}, { mode: "auto" });
      for (const other of ["src", `${tree}/x`, `${tree}x`])
        expect(auto.decide({ ...call, writes: [{ tree: other }] }).behavior).toBe("allow");
      expect(auto.decide({ ...call, writes: [{ path: tree }] }).behavior).toBe("allow");
      expect(auto.decide({ ...call, writes: [], reads: [{ tree }] }).behavior).toBe("allow");
    },
  );

  it("refuse a command that its analysis refuses, unless the user names it", () => {
    const call = shellCall([{ line: "rm -rf /", denied: "it deletes everything" }]);
    expect(policyWith({ session: [allow()] }).decide(call)).toMatchObject({
      rule: "built-in:denied-command",
    });
    expect(policyWith({ user: [allow({ tool: "bash" })] }).decide(call).behavior).toBe("deny");
    expect(policyWith({ user: [allow({ command: "rm -rf /" })] }).decide(call).behavior).toBe("allow");
  });
});
