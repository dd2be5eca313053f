import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../contract/errors.js";
import type { JsonSchema } from "../contract/json.js";
import { compileSchema } from "./compile-schema.js";
import { checkOf, messagesOf, object } from "./testing/check-json.js";

function refusalOf(schema: unknown): ToolDefinitionError {
  try {
    compileSchema(schema as JsonSchema);
  } catch (error) {
    if (error instanceof ToolDefinitionError) return error;
    throw error;
  }
  throw new Error("It was taken.");
}

describe("a JSON Schema", () => {
  it("is refused at once where a required property is not defined", () => {
    const error = refusalOf(object({ a: {} }, { required: ["a", "b"] }));
    expect(error.code).toBe("REQUIRED_UNDEFINED");
    expect(error.message).toContain('"b"');
    expect(refusalOf({ type: "object", required: ["x"] }).code).toBe("REQUIRED_UNDEFINED");
    expect(refusalOf(object({ constructor: {} }, { required: ["toString"] })).code).toBe(
      "REQUIRED_UNDEFINED",
    );
    expect(refusalOf(object({ o: object({ a: {} }, { required: ["b"] }) })).code).toBe("REQUIRED_UNDEFINED");
  });

  it("may define what it requires elsewhere", () => {
    const branches = object({ a: {}, b: {} }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] });
    expect(compileSchema(branches).check({ b: 1 }).ok).toBe(true);
    const map = { type: "object", required: ["x"], additionalProperties: { type: "number" } };
    expect(compileSchema(map).check({ x: 1, y: 2 }).ok).toBe(true);
    const parts = { type: "object", allOf: [object({ a: { type: "string" } })], required: ["a"] };
    expect(compileSchema(parts).check({ a: "x" }).ok).toBe(true);
  });

  it("is refused at once where it is malformed", () => {
    const bad = [
      { type: "string" },
      { type: ["array", "null"] },
      { type: "objet" },
      object({ a: 5 }),
      object({ a: { type: "strng" } }),
      object({ a: { type: [] } }),
      object({ a: { enum: "x" } }),
      object({ a: { enum: [] } }),
      object({ a: { minimum: "1" } }),
      object({ a: { exclusiveMinimum: true } }),
      object({ a: { anyOf: [] } }),
      object({ a: { anyOf: [5] } }),
      object({ a: { items: 5 } }),
      object({ a: { pattern: "(" } }),
      object({ a: { pattern: "(x)\\1" } }),
      object({ a: { $ref: 5 } }),
      object({}, { required: "a" }),
      object({}, { required: [5] }),
      { type: "object", properties: [] },
      { type: "object", dependentRequired: { a: "b" } },
      { type: "object", patternProperties: { "[": {} } },
      object({ a: { default: () => 1 } }),
      object({ a: { const: NaN } }),
    ];
    for (const schema of bad) expect(refusalOf(schema).code).toBe("SCHEMA_INVALID");
  });

  it("is refused where it refers outside or nowhere, and never fetched", () => {
    for (const $ref of ["https://evil.example/schema.json", "file:///etc/passwd", "other.json#/a", "//x"]) {
      expect(refusalOf(object({ a: { $ref } })).message).toMatch(/never fetched/);
    }
    expect(refusalOf(object({ a: { $ref: "#/$defs/none" } })).message).toMatch(/nowhere/);
    const hidden = object({ a: { $ref: "https://evil.example/x" } }, { $id: "https://mine.example/y" });
    expect(() => compileSchema(hidden).check({ a: 1 })).toThrow(ToolDefinitionError);
  });

  it("takes data that only looks like a reference for data", () => {
    const schema = object({ $ref: { type: "string" }, d: { default: { $ref: "https://x.example" } } });
    expect(compileSchema(schema).check({ $ref: "a" })).toEqual({
      ok: true,
      value: { $ref: "a", d: { $ref: "https://x.example" } },
    });
  });

  it("is refused where it is a circle, too deep, too large, or hides a prototype", () => {
    const circle: Record<string, unknown> = { type: "object" };
    circle["properties"] = { self: circle };
    expect(refusalOf(circle).message).toMatch(/itself/);
    let deep: object = {};
    for (let level = 0; level < 100; level++) deep = { not: deep };
    expect(refusalOf(object({ a: deep })).message).toMatch(/deeper/);
    expect(refusalOf(object({ a: { description: "x".repeat(2_000_000) } })).code).toBe("SCHEMA_INVALID");
    expect(refusalOf(JSON.parse('{"type":"object","properties":{"__proto__":{}}}')).code).toBe(
      "SCHEMA_INVALID",
    );
    let laughs: object = { type: "string" };
    for (let level = 0; level < 40; level++) laughs = { anyOf: [laughs, laughs] };
    expect(refusalOf(object({ a: laughs })).code).toBe("SCHEMA_INVALID");
  });

  it("counts as closed just where it says nothing else", () => {
    const closed = compileSchema(object({ a: {} }));
    expect(closed.check({ b: 1 }).ok).toBe(false);
    expect(closed.jsonSchema["additionalProperties"]).toBe(false);
    const open = [
      object({ a: {} }, { additionalProperties: true }),
      { type: "object" },
      object({}),
      object({ a: {} }, { patternProperties: { "^x": {} } }),
      object({ a: {} }, { allOf: [object({ b: {} })] }),
      object({ a: {} }, { anyOf: [object({ b: {} })] }),
    ];
    for (const schema of open) {
      expect(compileSchema(schema).check({ b: 1 }).ok).toBe(true);
      expect(compileSchema(schema).jsonSchema["additionalProperties"]).not.toBe(false);
    }
    const nested = compileSchema(object({ o: object({ a: {} }) }));
    expect(nested.check({ o: { free: 1 } }).ok).toBe(true);
  });

  it("may leave out its type", () => {
    expect(compileSchema({}).check({ any: 1 }).ok).toBe(true);
    expect(compileSchema({}).check([]).ok).toBe(false);
    expect(compileSchema({ properties: { a: { type: "string" } } }).jsonSchema["type"]).toBe("object");
  });

  it("may refer to itself", () => {
    const schema = object(
      { tree: { $ref: "#/$defs/node" } },
      {
        $defs: {
          node: object(
            { name: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/node" } } },
            { required: ["name"] },
          ),
        },
      },
    );
    expect(compileSchema(schema).check({ tree: { name: "a", kids: [{ name: "b" }] } }).ok).toBe(true);
    expect(messagesOf(schema, { tree: { name: "a", kids: [{}] } })).toEqual([
      '"tree.kids[0].name" is required (string)',
    ]);
  });

  it("may be of draft 7 or 2019-09, said or shown", () => {
    const tuple = { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false };
    for (const $schema of ["http://json-schema.org/draft-07/schema#", undefined]) {
      const check = checkOf(object({ t: tuple }, $schema === undefined ? {} : { $schema }));
      expect(check({ t: ["a", 1] }).ok).toBe(true);
      expect(check({ t: [1, "a"] }).ok).toBe(false);
    }
    const newer = { type: "array", prefixItems: [{ type: "string" }], items: false };
    expect(compileSchema(object({ t: newer })).check({ t: [1] }).ok).toBe(false);
    const middle = object(
      { a: {} },
      { $schema: "https://json-schema.org/draft/2019-09/schema", dependentRequired: { a: ["b"] } },
    );
    expect(compileSchema(middle).check({ a: 1 }).ok).toBe(false);
    expect(compileSchema(object({ a: {} }, { $schema: "https://unknown.example/meta" })).check({}).ok).toBe(
      true,
    );
  });

  it("does not clash with another of the same $id", () => {
    const first = compileSchema(object({ a: { type: "string" } }, { $id: "https://x.example/tool" }));
    const second = compileSchema(object({ a: { type: "number" } }, { $id: "https://x.example/tool" }));
    expect(first.check({ a: "x" }).ok).toBe(true);
    expect(second.check({ a: 1 }).ok).toBe(true);
    expect(second.check({ a: "x" }).ok).toBe(false);
  });

  it("does not change when its source is changed later", () => {
    const source = { type: "object", properties: { a: { type: "string" } } };
    const validator = compileSchema(source);
    source.properties.a.type = "number";
    expect(validator.check({ a: "x" }).ok).toBe(true);
    expect(validator.jsonSchema).toMatchObject({ properties: { a: { type: "string" } } });
  });

  it("checks formats, and ignores those it does not know", () => {
    const schema = object({
      mail: { type: "string", format: "email" },
      x: { type: "string", format: "made-up" },
    });
    expect(compileSchema(schema).check({ mail: "a@b.org", x: "anything" }).ok).toBe(true);
    expect(messagesOf(schema, { mail: "no" })).toEqual(['"mail" must be a valid email']);
    expect(compileSchema(schema).check({ mail: `${"a".repeat(100_000)}@b.org` }).ok).toBe(false);
  });

  it("says which rule a value breaks", () => {
    const schema = object({
      n: { type: "number", maximum: 5 },
      s: { type: "string", pattern: "^[a-z]+$" },
      c: { const: "x" },
      u: { type: "array", uniqueItems: true },
    });
    expect(
      messagesOf(schema, {
        n: 9,
        s: "A",
        c: "y",
        u: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      }),
    ).toEqual([
      '"n" must be <= 5',
      '"s" must match pattern "^[a-z]+$"',
      '"c": expected "x", received string ("y")',
      '"u" must not contain the same element twice',
    ]);
  });

  it("says of a union what is wrong with the branch that was meant, through references too", () => {
    const schema = object(
      {
        s: { oneOf: [{ $ref: "#/$defs/circle" }, { $ref: "#/$defs/box" }] },
        u: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
      {
        $defs: {
          circle: object(
            { kind: { const: "circle" }, r: { type: "number" } },
            { required: ["kind", "r"], additionalProperties: false },
          ),
          box: object(
            { kind: { const: "box" }, w: { type: "number" } },
            { required: ["kind", "w"], additionalProperties: false },
          ),
        },
      },
    );
    expect(messagesOf(schema, { s: { kind: "box", w: "x" } })).toEqual([
      '"s.w": expected number, received string ("x")',
    ]);
    expect(messagesOf(schema, { s: 5, u: 5 })).toEqual([
      '"s": expected object, received number (5)',
      '"u": expected string or null, received number (5)',
    ]);
    expect(messagesOf(schema, { s: { kind: "ring" } })[0]).toMatch(/fits none of the allowed forms/);
    expect(compileSchema(schema).check({ s: '{"kind":"box","w":1}' }).ok).toBe(true);
  });
});
