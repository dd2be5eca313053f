import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchFacet } from "./compile-rule.js";
import { facetsOf } from "./facets.js";
import { match } from "./match.js";
import { createPathSpace } from "./path-space.js";
import { shellCall, writeCall } from "./policy.fixture.js";
import type { PolicyRule } from "./policy-rule.js";
import { createRuleBook } from "./rule-book.js";
import { createScreen } from "./rule-screen.js";
import { randomCases } from "../../test/setup/random-cases.js";

const space = createPathSpace("/ws");

function screenOf(rules: readonly PolicyRule[], at = space) {
  const compiled = createRuleBook({ user: rules }, at)
    .all()
    .filter(({ source }) => source === "user");
  return { compiled, screen: createScreen(compiled) };
}

const name = fc.constantFrom("a", "b", "A", "caf\u00e9", "cafe\u0301", "x.ts", "x.spec.ts", ".ts", "b.");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const glob = fc
  .array(
    fc.oneof(
      name,
      fc.constantFrom("*", "**", "*.ts", "x*", "*.spec.ts", "*.*ts", "?.ts", "[x].ts", "*.{ts,b}", "{a,b}"),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join("/"));
const word = fc.constantFrom("git", "/bin/git", "push", "-f", "rm");
const rule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    decision: fc.constantFrom("allow", "ask", "deny"),
    path: fc.array(
      fc.oneof(
        glob,
        glob.map((text) => `!${text}`),
        glob.map((text) => `/ws/${text}`),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    command: fc
      .array(fc.oneof(word, fc.constant("g*")), { minLength: 1, maxLength: 2 })
      .map((words) => words.join(" ")),
  },
  { requiredKeys: ["decision"] },
);

describe("createScreen", () => {
  it("never leaves out a rule that could match, and keeps their order", () => {
    const rules = fc.array(rule, { minLength: 8, maxLength: 30 });
    const given = fc.constantFrom(space, createPathSpace("/ws", true));
    const command = fc.array(word, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(rules, given, path, command, (list, at, file, words) => {
        const { compiled, screen } = screenOf(list, at);
        const calls = [writeCall([file, `/ws/${file}`, `/${file}`]), shellCall([words.join(" ")])];
        for (const facets of calls.map((call) => facetsOf(call, at))) {
          for (const facet of facets) {
            const picked = screen.select(facet);
            const left = compiled.filter((one) => !picked.includes(one));
            expect(left.map((one) => matchFacet(one, facet, facets))).toEqual(left.map(() => match.no));
            expect(picked).toEqual(compiled.filter((one) => picked.includes(one)));
          }
        }
      }),
      { numRuns: randomCases(300) },
    );
  });

  it("keeps a rule that denies something below the path", () => {
    const { screen } = screenOf(
      Array.from({ length: 20 }, (_, at) => ({ decision: "deny", path: `d${at}/x/secret` })),
    );
    const [facet] = facetsOf(writeCall("d7"), space);
    expect(screen.select(facet!).map(({ id }) => id)).toEqual(["user#8"]);
  });

  it("picks rules about ends of names by what stands behind the last dot", () => {
    const { screen } = screenOf([
      { decision: "deny", path: "**/*.spec.ts" },
      ...Array.from({ length: 20 }, (_, at) => ({ decision: "deny" as const, path: `**/*.e${at}` })),
    ]);
    const idsFor = (path: string) => screen.select(facetsOf(writeCall(path), space)[0]!).map(({ id }) => id);
    expect(idsFor("src/a.spec.ts")).toEqual(["user#1"]);
    expect(idsFor("src/.e3/a")).toEqual(["user#5"]);
    expect(idsFor("src/a.js")).toEqual([]);
  });

  it("picks few out of many", () => {
    const { screen } = screenOf(
      Array.from({ length: 100 }, (_, at) => ({ decision: "deny", path: `dir${at}/**` })),
    );
    const [facet] = facetsOf(writeCall("dir7/a"), space);
    expect(screen.select(facet!).map(({ id }) => id)).toEqual(["user#8"]);
  });
});
