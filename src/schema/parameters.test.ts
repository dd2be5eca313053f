import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../contract/errors.js";
import { compileSchema } from "./compile-schema.js";

function refusalOf(parameters: readonly unknown[]): string {
  try {
    compileSchema(parameters as never);
  } catch (error) {
    if (error instanceof ToolDefinitionError && error.code === "SCHEMA_INVALID") return error.message;
    throw error;
  }
  throw new Error("It was taken.");
}

describe("a list of parameters", () => {
  it("is refused with the rule that it breaks", () => {
    const good = { name: "a", type: "string" };
    expect(refusalOf([good, good])).toMatch(/"a" is defined twice/);
    expect(refusalOf([{ type: "string" }])).toMatch(/Parameter 1 has no name/);
    expect(refusalOf([{ name: " ", type: "string" }])).toMatch(/no name/);
    expect(refusalOf([{ name: "__proto__", type: "string" }])).toMatch(/__proto__/);
    expect(refusalOf([{ name: "a", type: "text" }])).toMatch(/"text".*one of string/);
    expect(refusalOf([{ name: "a" }])).toMatch(/type/);
    expect(refusalOf([{ ...good, enum: [] }])).toMatch(/enum/);
    expect(refusalOf([{ ...good, enum: ["x", 5] }])).toMatch(/5, which is not a string/);
    expect(refusalOf([{ ...good, default: 5 }])).toMatch(/default/);
    expect(refusalOf([{ ...good, enum: ["x"], default: "y" }])).toMatch(/default/);
    expect(refusalOf([{ ...good, required: "yes" }])).toMatch(/required/);
    expect(refusalOf([{ ...good, description: 5 }])).toMatch(/description/);
    expect(refusalOf([null])).toMatch(/no name/);
    expect(refusalOf([{ ...good, default: () => 1 }])).toMatch(/not plain data/);
  });

  it("may be empty: a tool without arguments", () => {
    const validator = compileSchema([]);
    expect(validator.jsonSchema).toEqual({ type: "object", properties: {}, additionalProperties: false });
    expect(validator.check({}).ok).toBe(true);
    expect(validator.check({ a: 1 }).ok).toBe(false);
  });

  it("does not change when the list is changed later", () => {
    const parameters = [{ name: "a", type: "string" as "string" | "number", required: true }];
    const validator = compileSchema(parameters);
    if (parameters[0] !== undefined) parameters[0].type = "number";
    expect(validator.check({ a: "x" }).ok).toBe(true);
  });

  it("checks names that every object inherits", () => {
    const validator = compileSchema([{ name: "constructor", type: "string", required: true }]);
    expect(validator.check({}).ok).toBe(false);
    expect(validator.check({ constructor: "x" })).toEqual({ ok: true, value: { constructor: "x" } });
  });

  it("compares values of an enum by content", () => {
    const validator = compileSchema([{ name: "pair", type: "array", enum: [[1, { a: 1, b: 2 }]] }]);
    expect(validator.check({ pair: [1, { b: 2, a: 1 }] }).ok).toBe(true);
    expect(validator.check({ pair: [1] }).ok).toBe(false);
  });
});
