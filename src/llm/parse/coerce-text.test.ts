import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../contract/json.js";
import { coerceText, propertyOf } from "./coerce-text.js";

function coerce(text: string, schema: unknown, root: JsonSchema = {}): unknown {
  return coerceText({ text, json: false }, schema, root);
}

describe("coerceText", () => {
  it.each<[string, unknown, unknown]>([
    [" 12 ", { type: "integer" }, 12],
    ["-1.5e3", { type: "number" }, -1500],
    ["+7", { type: "number" }, 7],
    [".5", { type: "number" }, 0.5],
    ["1e999", { type: "number" }, "1e999"],
    ["12px", { type: "number" }, "12px"],
    ["0x10", { type: "number" }, "0x10"],
    [" TRUE ", { type: "boolean" }, true],
    ["false", { type: "boolean" }, false],
    ["yes", { type: "boolean" }, "yes"],
    ["null", { type: "null" }, null],
    ["None", { type: "null" }, null],
    ["", { type: "null" }, null],
    ["nil", { type: "null" }, "nil"],
    ["12", { type: "string" }, "12"],
    ["true", { type: ["string", "boolean"] }, "true"],
    ["12", { type: ["integer", "null"] }, 12],
    ["null", { type: ["integer", "null"] }, null],
    ["12", {}, "12"],
    ["12", undefined, "12"],
    ["12", true, "12"],
    ["2", { enum: [1, 2] }, 2],
    ["2", { enum: ["1", 2] }, "2"],
    ["null", { enum: [null, 1] }, null],
    ["3", { const: 3 }, 3],
    ["3", { const: "3" }, "3"],
    ["4", { anyOf: [{ type: "integer" }, { type: "null" }] }, 4],
    ["4", { oneOf: [{ type: "integer" }, { type: "string" }] }, "4"],
    // A choice that takes anything takes a text, too.
    ["4", { anyOf: [{ type: "integer" }, {}] }, "4"],
    ['{"a":1}', { type: "object" }, { a: 1 }],
    ["[1,2]", { type: "array" }, [1, 2]],
    ["[1,2]", { type: "object" }, "[1,2]"],
    ['{"a":1}', { type: "array" }, '{"a":1}'],
    ['{"a":1}', { type: ["array", "object"] }, { a: 1 }],
    ['{"a":1}', { enum: [{}] }, { a: 1 }],
    ["[1]", { const: [] }, [1]],
    ["<item>1</item><item>2</item>", { type: "array", items: { type: "integer" } }, [1, 2]],
    ["<a>1</a><b>2</b>", { type: "array" }, "<a>1</a><b>2</b>"],
    [
      "<from>1</from> <to>2</to>",
      { type: "object", properties: { from: { type: "integer" }, to: { type: "string" } } },
      { from: 1, to: "2" },
    ],
    ["<a>1</a><a>2</a>", { type: "object" }, "<a>1</a><a>2</a>"],
    ["<a/>", { type: "object" }, { a: "" }],
    ["<a>1</a>", { type: "object", additionalProperties: { type: "integer" } }, { a: 1 }],
    ["plain words", { type: "object" }, "plain words"],
    ["", { type: "array" }, ""],
  ])("%j by %j", (text, schema, expected) => {
    expect(coerce(text, schema)).toEqual(expected);
  });

  it("follows references within the schema, escaped names too, and no others", () => {
    const root = { $defs: { count: { type: "integer" }, "a/b~c": { type: "boolean" } } } as JsonSchema;
    expect(coerce("1", { $ref: "#/$defs/count" }, root)).toBe(1);
    expect(coerce("true", { $ref: "#/$defs/a~1b~0c" }, root)).toBe(true);
    expect(coerce("1", { $ref: "#/$defs/absent" }, root)).toBe("1");
    expect(coerce("1", { $ref: "#/$defs/toString" }, root)).toBe("1");
    expect(coerce("1", { $ref: "other.json" }, root)).toBe("1");
  });

  it("ends where choices lead in circles", () => {
    const root = {
      $defs: { loop: { anyOf: [{ $ref: "#/$defs/loop" }, { type: "integer" }] } },
    } as JsonSchema;
    expect(coerce("1", { $ref: "#/$defs/loop" }, root)).toBe("1");
  });

  it("reads what is marked as JSON whatever the schema says, and refuses what is not", () => {
    expect(coerceText({ text: "[1, 2]", json: true }, { type: "string" }, {})).toEqual([1, 2]);
    expect(() => coerceText({ text: "no", json: true }, {}, {})).toThrow(/json/i);
  });
});

describe("propertyOf", () => {
  it("gives the schema of a property, else of additional ones, and nothing that every object has", () => {
    const schema = { properties: { a: { type: "integer" } }, additionalProperties: { type: "boolean" } };
    expect(propertyOf(schema, "a", {})).toEqual({ type: "integer" });
    expect(propertyOf(schema, "b", {})).toEqual({ type: "boolean" });
    expect(propertyOf(schema, "toString", {})).toEqual({ type: "boolean" });
    expect(propertyOf({ properties: {} }, "constructor", {})).toBeUndefined();
    expect(propertyOf(true, "a", {})).toBeUndefined();
  });
});
