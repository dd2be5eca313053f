import { describe, expect, it } from "vitest";
import { toGrants } from "./caps.js";
import { createPathSpace } from "./path-space.js";
import { callOf } from "./policy.fixture.js";
import { createRuleBook } from "./rule-book.js";
import { createSubjects } from "./subjects.js";

function open(rules: object[] = []) {
  const book = createRuleBook({ user: rules as never }, createPathSpace("/ws"));
  return createSubjects(book, { grants: toGrants(["a"]), securityLevel: "critical" });
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

  it.each(["user", "client", "role", "endpoint", "session"] as const)(
    "is apart for each caller where a rule names a %s",
    (field) => {
      const subjects = open([{ decision: "allow", [field]: "x" }]);
      const caller = { userId: "u", client: "c", role: "operator", endpoint: "e", sessionId: "s" } as const;
      const first = subjects.of(callOf(caller));
      expect(subjects.of(callOf(caller))).toBe(first);
      for (const change of [
        { userId: "v" },
        { client: "d" },
        { role: "viewer" },
        { endpoint: "f" },
        { sessionId: "t" },
        { client: undefined },
      ] as const) {
        expect(subjects.of(callOf({ ...caller, ...change }))).not.toBe(first);
      }
    },
  );

  it("is one for all users of an agent where no rule names them", () => {
    const subjects = open([{ decision: "allow", agent: "main" }]);
    expect(subjects.of(callOf({ userId: "ann", sessionId: "s2" }))).toBe(subjects.of(callOf()));
  });

  it("is apart for names that only look alike when joined", () => {
    const subjects = open([{ decision: "allow", user: "x" }]);
    const pairs = [
      [
        { userId: "a", client: "b" },
        { userId: "a1:b", client: undefined },
      ],
      [
        { userId: undefined, client: "b" },
        { userId: "b", client: undefined },
      ],
      [
        { userId: "-", client: undefined },
        { userId: undefined, client: "-" },
      ],
    ];
    for (const [one, other] of pairs) expect(subjects.of(callOf(one))).not.toBe(subjects.of(callOf(other)));
  });

  it.each([
    { category: "shell" },
    { aliases: ["a"] },
    { capabilities: ["a"] },
    { securityLevel: "low" },
    { annotations: { dangerous: true, readOnly: true } },
    { annotations: {} },
    { annotations: { dangerous: true, openWorld: true } },
  ] as const)("is made again for a tool of the same name with %j", (change) => {
    const subjects = open();
    const first = subjects.of(callOf());
    expect(subjects.of(callOf(change))).not.toBe(first);
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
