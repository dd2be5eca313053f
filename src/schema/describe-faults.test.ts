import { describe, expect, it } from "vitest";
import { describeFaults } from "./describe-faults.js";
import { mergeBranches, type Fault } from "./fault.js";

function say(fault: Fault, root: unknown): string | undefined {
  return describeFaults([fault], root, "The arguments")[0]?.message;
}

describe("describeFaults", () => {
  it("keeps the value of a secret-looking argument out of its message", () => {
    const fault: Fault = { path: ["api_key"], kind: "type", expected: ["number"] };
    expect(say(fault, { api_key: "sk-12345" })).toBe('"api_key": expected number, received string');
  });

  it("lists allowed values up to a number", () => {
    const expected = Array.from({ length: 500 }, (_, index) => JSON.stringify(`value ${index}`));
    const message = say({ path: ["a"], kind: "value", expected }, { a: "x" }) ?? "";
    expect(message).toContain("480 more");
    expect(message.length).toBeLessThan(500);
  });

  it("writes paths as in code, and quotes names that are none", () => {
    const fault: Fault = { path: ["files", 2, "a b", "c"], kind: "missing", expected: ["string"] };
    expect(say(fault, {})).toBe('"files[2]["a b"].c" is required (string)');
  });

  it("tells all forms of a union where none was clearly meant", () => {
    const missing = (name: string): Fault => ({ path: ["u", name], kind: "missing", expected: ["string"] });
    const merged = mergeBranches(["u"], [[missing("a")], [missing("b")]]);
    expect(merged.map((fault) => say(fault, { u: {} }))).toEqual([
      '"u" fits none of the allowed forms: (1) "u.a" is required (string); (2) "u.b" is required (string)',
    ]);
  });
});
