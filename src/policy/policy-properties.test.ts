import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Resource } from "../contract/resources.js";
import type { AccessDecision } from "../contract/call.js";
import type { PolicyCall, PolicyCommand } from "./create-policy.js";
import { callOf, policyWith } from "./policy.fixture.js";
import { ruleSources, type PolicyRule, type RuleSource } from "./policy-rule.js";
import { randomCases } from "../../test/setup/random-cases.js";

const strictness = { allow: 0, ask: 1, deny: 2 };
const level = (decision: AccessDecision) => strictness[decision.behavior];

const name = fc.constantFrom("a", "b", "secret", ".env", ".git");
const path = fc.oneof(
  fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
  fc.constantFrom(".", "/ws/a", "/etc/x", "../out", "/"),
);
const glob = fc.oneof(
  fc
    .array(fc.oneof(name, fc.constantFrom("*", "**", "s*")), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("/")),
  fc.constantFrom("/etc/**", "/ws/a/**", "../**", "!a/**"),
);
const host = fc.constantFrom("x.org", "a.x.org", "y.org:80", "*");
const line = fc.constantFrom("git push", "git -C d push", "rm -rf a", "npm run test", "ls");
const some = <T>(item: fc.Arbitrary<T>) => fc.oneof(item, fc.array(item, { minLength: 1, maxLength: 2 }));

const conditions = fc.record(
  {
    tool: some(fc.constantFrom("write_file", "shell_exec", "*", "w*", "!write_file")),
    agent: fc.constantFrom("main", "other", "!main"),
    user: fc.constantFrom("ann", "*", "!ann"),
    path: some(glob),
    command: some(fc.constantFrom("git push", "rm -rf", "npm *", "*", "ls")),
    host: some(fc.constantFrom("x.org", "*.x.org", "y.org:81", "*", "!x.org")),
  },
  { requiredKeys: [] },
);
const rule: fc.Arbitrary<PolicyRule> = fc
  .tuple(fc.constantFrom("allow", "ask", "deny" as const), conditions)
  .map(([decision, rest]) => ({ decision, ...rest }));
const sources = fc.record(
  Object.fromEntries(ruleSources.map((source) => [source, fc.array(rule, { maxLength: 3 })])) as Record<
    RuleSource,
    fc.Arbitrary<PolicyRule[]>
  >,
  { requiredKeys: [] },
);
const resource: fc.Arbitrary<Resource> = fc.oneof(
  path.map((text) => ({ path: text })),
  path.map((text) => ({ tree: text })),
  host.map((text) => ({ host: text })),
  fc.constant({ lock: "l" }),
);
const command: fc.Arbitrary<PolicyCommand> = fc.record({
  words: line.map((text) => text.split(" ")),
  known: fc.boolean(),
  readOnly: fc.boolean(),
  sandboxed: fc.boolean(),
});
const call: fc.Arbitrary<PolicyCall> = fc
  .record(
    {
      toolName: fc.constantFrom("write_file", "shell_exec", "x"),
      category: fc.constantFrom("file", "shell", "custom", "network", "mcp", "planning" as const),
      annotations: fc.record(
        { readOnly: fc.boolean(), dangerous: fc.boolean(), openWorld: fc.boolean() },
        { requiredKeys: [] },
      ),
      agent: fc.constantFrom("main", "other"),
      userId: fc.constantFrom("ann", "bob"),
      reads: fc.array(resource, { maxLength: 3 }),
      writes: fc.array(resource, { maxLength: 3 }),
      commands: fc.array(command, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  .map((extra) => callOf(extra));
const mode = fc.constantFrom("read-only", "ask", "auto", "unattended" as const);

const runs = { numRuns: randomCases(800) };

describe("for any rules and calls", () => {
  it("adding a deny rule anywhere never makes a decision looser", () => {
    fc.assert(
      fc.property(
        sources,
        call,
        mode,
        fc.constantFrom(...ruleSources),
        conditions,
        fc.nat(),
        (given, one, mode, source, extra, at) => {
          const rules = [...(given[source] ?? [])];
          rules.splice(at % (rules.length + 1), 0, { decision: "deny", ...extra });
          const before = policyWith(given, { mode }).decide(one);
          const after = policyWith({ ...given, [source]: rules }, { mode }).decide(one);
          expect(level(after)).toBeGreaterThanOrEqual(level(before));
        },
      ),
      runs,
    );
  });

  it("touching more never makes a decision looser, and the strictest part counts", () => {
    // Each rule names one kind of thing at most, so that the parts of a call do not depend on each other.
    const single = rule.map(({ decision, tool, path, command, host }): PolicyRule => {
      const named =
        path !== undefined
          ? { path }
          : command !== undefined
            ? { command }
            : host !== undefined
              ? { host }
              : {};
      return { decision, ...(tool !== undefined && { tool }), ...named };
    });
    const touched = fc.array(resource, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(single, { maxLength: 5 }), touched, (user, writes) => {
        const policy = policyWith({ user });
        const judged = writes.filter((item) => !("lock" in item));
        fc.pre(judged.length > 0);
        const parts = judged.map((item) => level(policy.decide(callOf({ writes: [item] }))));
        expect(level(policy.decide(callOf({ writes })))).toBe(Math.max(...parts));
      }),
      runs,
    );
  });

  it("unattended never asks, and is never looser than ask", () => {
    fc.assert(
      fc.property(sources, call, (given, one) => {
        const decision = policyWith(given, { mode: "unattended" }).decide(one);
        expect(decision.behavior).not.toBe("ask");
        const asked = policyWith(given).decide(one).behavior;
        expect(decision.behavior).toBe(asked === "allow" ? "allow" : "deny");
      }),
      runs,
    );
  });

  it("read-only never allows a tool that does more than read", () => {
    fc.assert(
      fc.property(sources, call, (given, one) => {
        const { behavior } = policyWith(given, { mode: "read-only" }).decide(one);
        const asked = policyWith(given).decide(one);
        const { commands = [], changes = [] } = one;
        const reads =
          commands.length > 0 &&
          changes.length === 0 &&
          commands.every(({ known, readOnly, sandboxed }) => known && readOnly && sandboxed === true) &&
          !one.writes.some((resource) => "path" in resource || "tree" in resource);
        const least = one.annotations.readOnly === true || reads ? level(asked) : strictness.deny;
        expect(strictness[behavior]).toBeGreaterThanOrEqual(least);
      }),
      runs,
    );
  });

  it("auto never denies what ask would ask for, nor loosens what a rule says", () => {
    fc.assert(
      fc.property(sources, call, (given, one) => {
        const asked = policyWith(given).decide(one);
        const auto = policyWith(given, { mode: "auto" }).decide(one);
        const fitting = { allow: ["allow"], ask: ["ask", "allow"], deny: ["deny"] }[asked.behavior];
        expect(fitting).toContain(auto.behavior);
      }),
      runs,
    );
  });

  it("rules of a workspace that only tighten never loosen anything", () => {
    const tightening = fc.array(
      rule.filter(({ decision }) => decision !== "allow"),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(sources, tightening, call, mode, (given, workspace, one, mode) => {
        const without = policyWith({ ...given, workspace: [] }, { mode }).decide(one);
        const withThem = policyWith({ ...given, workspace }, { mode }).decide(one);
        expect(level(withThem)).toBeGreaterThanOrEqual(level(without));
      }),
      runs,
    );
  });

  it("neither the order of calls nor what came before changes a decision", () => {
    fc.assert(
      fc.property(sources, fc.array(call, { minLength: 1, maxLength: 6 }), mode, (given, calls, mode) => {
        const warm = policyWith(given, { mode });
        for (const one of [...calls, ...calls])
          expect(warm.decide(one)).toEqual(policyWith(given, { mode }).decide(one));
      }),
      { numRuns: randomCases(300) },
    );
  });

  it("adding and removing a rule leaves everything as it was", () => {
    fc.assert(
      fc.property(
        sources,
        call,
        rule,
        fc.constantFrom(...ruleSources.slice(0, -1)),
        (given, one, extra, source) => {
          const policy = policyWith(given);
          const before = policy.decide(one);
          const id = policy.addRule(source, extra);
          policy.decide(one);
          policy.removeRule(id);
          expect(policy.decide(one)).toEqual(before);
        },
      ),
      { numRuns: randomCases(300) },
    );
  });
});
