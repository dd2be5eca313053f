import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomCases } from "../../test/setup/random-cases.js";
import { matchFacet } from "./compile-rule.js";
import { facetsOf } from "./facets.js";
import { match } from "./match.js";
import { createPathSpace, viewPath } from "./path-space.js";
import type { PolicyRule } from "./policy-rule.js";
import { allow, ask, deny, policyWith, readCall, shellCall } from "./policy.fixture.js";
import { createRuleBook } from "./rule-book.js";

const line = shellCall(["cp a b"]);

describe("commandPaths", () => {
  it("is left out where no rule denies or asks", () => {
    expect(policyWith().commandPaths(line)).toBeUndefined();
    expect(policyWith({ user: [allow({ path: "src/**" })] }).commandPaths(line)).toBeUndefined();
  });

  it("lists the patterns of rules that deny or ask once each, without exceptions and allowed paths", () => {
    const rules = policyWith({
      user: [
        deny({ path: ["secret/**", "!secret/public/**"] }),
        ask({ path: ["secret/**", "ci/**"] }),
        allow({ path: "src/**" }),
      ],
    }).commandPaths(line);
    expect(rules?.patterns).toEqual(["secret/**", "ci/**"]);
  });

  it("takes a pattern of nothing but exceptions for everything", () => {
    expect(policyWith({ user: [deny({ path: "!src/**" })] }).commandPaths(line)?.patterns).toEqual(["**"]);
  });

  it("says of every path what the rules say one by one", () => {
    const name = fc.constantFrom(
      "a",
      "b",
      "A",
      "x.ts",
      "x.spec.ts",
      ".ts",
      "caf\u00e9",
      "cafe\u0301",
      "..",
      ".",
      "secret",
    );
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    const glob = fc
      .array(
        fc.oneof(
          name,
          fc.constantFrom(
            "*",
            "**",
            "*.ts",
            "x*",
            "*.spec.ts",
            "*.*ts",
            "?.ts",
            "[x].ts",
            "*.{ts,b}",
            "{a,b}",
          ),
        ),
        { minLength: 1, maxLength: 3 },
      )
      .map((parts) => parts.filter((part) => part !== "..").join("/") || "a");
    const rule: fc.Arbitrary<PolicyRule> = fc.record(
      {
        decision: fc.constantFrom("allow", "ask", "deny"),
        path: fc.array(
          fc.oneof(
            glob,
            glob.map((text) => `!${text}`),
          ),
          { minLength: 1, maxLength: 2 },
        ),
        access: fc.constantFrom("read", "write"),
        command: fc.constantFrom("cp *", "rm"),
      },
      { requiredKeys: ["decision"] },
    );
    const rules = fc.array(rule, { minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(rules, path, fc.constantFrom("read", "write"), (list, at, access) => {
        const user = list.filter((one) => one.access === undefined || one.path !== undefined);
        const judged = policyWith({ user }).commandPaths(line)?.judge(at, access);
        expect(judged && [judged.rule, judged.decision]).toEqual(oneByOne(user, at, access));
      }),
      { numRuns: randomCases(500) },
    );
  });

  it("leaves out a rule that denies without naming a path", () => {
    expect(policyWith({ user: [ask({ command: "cp *" })] }).commandPaths(line)).toBeUndefined();
  });

  it("tells reading from writing", () => {
    const rules = policyWith({
      user: [deny({ id: "no-writes", path: "src/**", access: "write" })],
    }).commandPaths(line);
    expect(rules?.judge("src/a.ts", "write")).toMatchObject({ decision: "deny", rule: "no-writes" });
    expect(rules?.judge("src/a.ts", "read")).toBeUndefined();
    const reading = policyWith({ user: [deny({ path: "src/**", access: "read" })] }).commandPaths(line);
    expect(reading?.judge("src/a.ts", "read")).toMatchObject({ decision: "deny" });
    expect(reading?.judge("src/a.ts", "write")).toBeUndefined();
  });

  it("lets the first rule that matches decide, an allowance too", () => {
    const user = [allow({ path: "secret/public/**" }), deny({ path: "secret/**" })];
    const rules = policyWith({ user }).commandPaths(line);
    expect(rules?.judge("secret/public/a", "read")?.decision).toBe("allow");
    expect(rules?.judge("secret/a", "read")?.decision).toBe("deny");
    const reversed = policyWith({ user: user.toReversed() }).commandPaths(line);
    expect(reversed?.judge("secret/public/a", "read")?.decision).toBe("deny");
  });

  it("lets a general allowance that comes first lift a denial, but not one for a command or host", () => {
    const judged = (first: Parameters<typeof allow>[0]) =>
      policyWith({ user: [allow(first), deny({ path: "secret/**" })] })
        .commandPaths(line)
        ?.judge("secret/a", "read")?.decision;
    expect(judged({ tool: "shell_exec" })).toBe("allow");
    expect(judged({ command: "cp *" })).toBe("deny");
    expect(judged({ host: "example.org" })).toBe("deny");
  });

  it("counts a denial that also names a command only for that command", () => {
    const policy = policyWith({ user: [deny({ path: "secret/**", command: "cp *" })] });
    expect(policy.commandPaths(line)?.judge("secret/a", "read")?.decision).toBe("deny");
    expect(policy.commandPaths(shellCall(["mv a b"]))?.judge("secret/a", "read")).toBeUndefined();
  });

  it("says whether everything below is judged alike", () => {
    const below = (user: readonly PolicyRule[], path: string) =>
      policyWith({ user }).commandPaths(line)?.judge(path, "read")?.below;
    expect(below([deny({ path: "secret/**" })], "secret")).toBe(true);
    expect(below([deny({ path: "secret/*" })], "secret/a")).toBe(false);
    // An allowance may lift the denial further down.
    expect(below([deny({ path: "secret/**" }), allow({ path: "secret/**" })], "secret")).toBe(false);
  });
});

describe("pathFilter", () => {
  const walk = readCall([{ tree: "." }], { toolName: "grep" });

  it("is left out where no rule stands in the way of reading", () => {
    expect(policyWith({ user: [deny({ path: "a", access: "write" })] }).pathFilter(walk)).toBeUndefined();
    expect(policyWith({ user: [allow({ path: "a" })] }).pathFilter(walk)).toBeUndefined();
    expect(policyWith({ user: [ask({ command: "cp *" })] }).pathFilter(walk)).toBeUndefined();
  });

  it("hides what is denied even from a call that names it", () => {
    const sees = policyWith({ user: [deny({ path: "keys/**" })] }).pathFilter(
      readCall([{ path: "keys/a" }, { tree: "keys" }]),
    );
    expect(sees?.("keys/a")).toBe(false);
    expect(sees?.("src/a")).toBe(true);
  });

  it("shows what is asked about only where the call names it or a folder above that is asked about", () => {
    const policy = policyWith({ user: [ask({ path: "keys/**" })] });
    const sees = (reads: Parameters<typeof readCall>[0], path: string) =>
      policy.pathFilter(readCall(reads))?.(path);
    expect(sees([{ tree: "." }], "keys/a")).toBe(false);
    expect(sees([{ path: "src/a" }], "keys/a")).toBe(false);
    expect(sees([{ path: "keys/a" }], "keys/a")).toBe(true);
    expect(sees([{ path: "keys/a" }], "keys/ab")).toBe(false);
    expect(sees([{ path: "keys/a" }], "keys/b")).toBe(false);
    expect(sees([{ tree: "keys" }], "keys/a/b")).toBe(true);
    expect(sees([{ host: "example.org" }], "keys/a")).toBe(false);
  });

  it("counts what a call writes as named", () => {
    const policy = policyWith({ user: [ask({ path: "keys/**" })] });
    const sees = policy.pathFilter(readCall([], { writes: [{ path: "keys/a" }] }));
    expect(sees?.("keys/a")).toBe(true);
    expect(sees?.("keys/b")).toBe(false);
  });
});

/** The first rule about paths that matches, without any index. */
function oneByOne(user: readonly PolicyRule[], path: string, access: string): unknown[] | undefined {
  const space = createPathSpace("/ws");
  const compiled = createRuleBook({ user }, space)
    .all()
    .filter(({ source, rule }) => source === "user" && (rule.path !== undefined || isGeneralAllow(rule)));
  if (compiled.every(({ rule }) => rule.decision === "allow")) return undefined;
  const facet = {
    kind: "path",
    view: viewPath(path, space),
    tree: false,
    write: access === "write",
    alone: true,
    weak: true,
  } as const;
  const all = [...facetsOf(line, space).filter(({ kind }) => kind !== "path"), facet];
  const found = compiled.find((each) => {
    const matched = matchFacet(each, facet, all);
    return each.rule.decision === "allow" ? matched === match.yes : matched !== match.no;
  });
  return found && [found.id, found.rule.decision];
}

function isGeneralAllow({ decision, path, command, host }: PolicyRule): boolean {
  return decision === "allow" && path === undefined && command === undefined && host === undefined;
}
