import { describe, expect, it } from "vitest";
import { createPathSpace } from "./path-space.js";
import { callOf } from "./policy.fixture.js";
import { createRuleBook } from "./rule-book.js";
import { createSubjects } from "./subjects.js";

function open(rules: object[] = []) {
  const book = createRuleBook({ user: rules as never }, createPathSpace("/ws"));
  return createSubjects(book, { grants: {}, securityLevel: "critical" } as never);
}

describe("what is kept of callers", () => {
  it("is found again for the same tool and caller, and for no other", () => {
    const subjects = open([{ decision: "allow", agent: "main" }]);
    const first = subjects.of(callOf());
    expect(subjects.of(callOf())).toBe(first);
    expect(subjects.of(callOf({ agent: "other" }))).not.toBe(first);
    expect(subjects.of(callOf({ toolName: "other" }))).not.toBe(first);
    // The same name with other traits is another tool.
    expect(subjects.of(callOf({ annotations: { readOnly: true } }))).not.toBe(first);
  });

  it("is apart for each user where a rule is about users", () => {
    const subjects = open([{ decision: "allow", user: "ann" }]);
    const ann = subjects.of(callOf({ userId: "ann" }));
    expect(subjects.of(callOf({ userId: "ann" }))).toBe(ann);
    expect(subjects.of(callOf({ userId: "bob" }))).not.toBe(ann);
  });

  it("stays bounded: a flood of names starts it over", () => {
    const subjects = open();
    const first = subjects.of(callOf());
    for (let at = 0; at < 4000; at++) subjects.of(callOf({ toolName: `tool_${at}` }));
    expect(subjects.of(callOf())).toBe(first);
    for (let at = 4000; at < 4100; at++) subjects.of(callOf({ toolName: `tool_${at}` }));
    expect(subjects.of(callOf())).not.toBe(first);
  });

  it("is forgotten when rules change", () => {
    const subjects = open();
    const first = subjects.of(callOf());
    subjects.forget();
    expect(subjects.of(callOf())).not.toBe(first);
  });
});
