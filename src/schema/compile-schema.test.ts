import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolDefinitionError } from "../contract/errors.js";
import type { JsonSchema } from "../contract/json.js";
import type { SchemaSource, ToolParameter } from "../contract/schema-source.js";
import { compileSchema, type Checked } from "./compile-schema.js";
import { canonicalJson } from "./json-value.js";
import { randomCases } from "../../test/setup/random-cases.js";

const zodTypes = {
  string: z.string(),
  number: z.number(),
  // Not `int()`, which is narrower than JSON Schema: it stops at the safe integers.
  integer: z.number().refine(Number.isInteger),
  boolean: z.boolean(),
  object: z.looseObject({}),
  array: z.array(z.unknown()),
};

function toZod(parameters: readonly ToolParameter[]): z.ZodType {
  const fields = parameters.map((parameter) => {
    let field: z.ZodType = zodTypes[parameter.type];
    if (parameter.enum !== undefined) field = z.literal(parameter.enum as string[]);
    if (parameter.default !== undefined) field = field.default(parameter.default as never);
    else if (parameter.required !== true) field = field.optional();
    return [parameter.name, field];
  });
  return z.object(Object.fromEntries(fields) as Record<string, z.ZodType>);
}

function toJson(parameters: readonly ToolParameter[]): JsonSchema {
  const properties = parameters.map(({ name, type, enum: values, default: preset }) => [
    name,
    { type, ...(values && { enum: values }), ...(preset !== undefined && { default: preset }) },
  ]);
  const required = parameters
    .filter((one) => one.required && one.default === undefined)
    .map((one) => one.name);
  return { type: "object", properties: Object.fromEntries(properties) as object, required };
}

const list: readonly ToolParameter[] = [
  { name: "path", type: "string", required: true },
  { name: "count", type: "integer" },
  { name: "ratio", type: "number" },
  { name: "mode", type: "string", enum: ["overwrite", "append"], default: "overwrite" },
  { name: "deep", type: "boolean" },
  { name: "options", type: "object" },
  { name: "tags", type: "array" },
];

const kinds: readonly (readonly [string, SchemaSource])[] = [
  ["Zod", toZod(list)],
  ["JSON Schema", toJson(list)],
  ["parameters", list],
];

function issuesOf(checked: Checked) {
  if (checked.ok) throw new Error("It passed.");
  return checked.issues;
}

function messagesOf(checked: Checked): readonly string[] {
  return issuesOf(checked).map((issue) => issue.message);
}

describe.each(kinds)("compileSchema of %s", (_kind, source) => {
  const validator = compileSchema(source);

  it("takes right arguments and fills in defaults", () => {
    const value = { path: "a", count: 2, options: { x: [1] }, tags: ["t"] };
    expect(validator.check(value)).toEqual({ ok: true, value: { ...value, mode: "overwrite" } });
  });

  it("leaves what it was given alone, even if it is frozen", () => {
    const value = Object.freeze({ path: "a" });
    expect(validator.check(value)).toEqual({ ok: true, value: { path: "a", mode: "overwrite" } });
    expect(value).toStrictEqual({ path: "a" });
  });

  it("gives every call defaults of its own", () => {
    const preset = compileSchema([{ name: "list", type: "array", default: [] }]);
    const first = preset.check({});
    if (first.ok) (first.value as { list: number[] }).list.push(1);
    expect(preset.check({})).toEqual({ ok: true, value: { list: [] } });
  });

  it("takes a unit behind a name for another argument, and a plural for a typo", () => {
    const told = (key: string) => messagesOf(validator.check({ path: "a", [key]: 1 })).join();
    for (const unit of ["_ms", "Ms", "_s", "_sec", "_kb"]) expect(told(`ratio${unit}`)).toMatch(/Known: /);
    expect(told("ratios")).toContain('Did you mean "ratio"?');
    expect(told("rato")).toContain('Did you mean "ratio"?');
  });

  it("names all faults in one answer", () => {
    const messages = messagesOf(validator.check({ pth: "a", ratio: "2", mode: "apend", deep: "false" }));
    expect(messages.toSorted()).toEqual(
      [
        '"path" is required (string)',
        'Unknown argument "pth". Did you mean "path"?',
        '"ratio": expected number, received string ("2")',
        '"mode": expected one of "overwrite", "append", received string ("apend"). Did you mean "append"?',
        '"deep": expected boolean, received string ("false")',
      ].toSorted(),
    );
  });

  it("gives each issue its path, what was expected and what came", () => {
    const issues = issuesOf(validator.check({ path: 1, hiprority: 2 }));
    expect(issues).toContainEqual(
      expect.objectContaining({ path: "path", expected: "string", received: "number" }),
    );
    expect(issues).toContainEqual(expect.objectContaining({ path: "hiprority" }));
  });

  it("does not coerce, nor take null for missing", () => {
    for (const bad of [
      { path: 5 },
      { path: "a", count: "5" },
      { path: "a", deep: 1 },
      { path: "a", count: 1.5 },
    ]) {
      expect(validator.check(bad).ok).toBe(false);
    }
    expect(messagesOf(validator.check({ path: null }))).toEqual(['"path": expected string, received null']);
    expect(messagesOf(validator.check({ path: "a", deep: null }))).toEqual([
      '"deep": expected boolean, received null',
    ]);
  });

  it("refuses numbers that are not finite, by name", () => {
    for (const ratio of [NaN, Infinity, -Infinity]) {
      expect(issuesOf(validator.check({ path: "a", ratio }))).toEqual([
        expect.objectContaining({ path: "ratio" }),
      ]);
    }
  });

  it("refuses arguments that are no object", () => {
    for (const bad of [null, [], "text", 5, true]) {
      expect(issuesOf(validator.check(bad))[0]).toMatchObject({ path: "", expected: "object" });
    }
  });

  it("takes no arguments at all for an empty object", () => {
    expect(messagesOf(validator.check(undefined))).toEqual(['"path" is required (string)']);
  });

  it("takes objects and arrays that came as JSON text", () => {
    const wanted = { path: "a", mode: "overwrite", options: { x: 1 }, tags: ["t"] };
    expect(validator.check({ path: "a", options: '{"x":1}', tags: ' ["t"]' })).toEqual({
      ok: true,
      value: wanted,
    });
    expect(validator.check('{"path":"a","options":{"x":1},"tags":["t"]}')).toEqual({
      ok: true,
      value: wanted,
    });
    const nested = JSON.stringify({ path: "a", options: '{"x":1}', tags: '["t"]' });
    expect(validator.check(nested)).toEqual({ ok: true, value: wanted });
  });

  it("does not take text for anything else, nor text of the wrong kind", () => {
    expect(validator.check({ path: '{"a":1}' })).toMatchObject({ ok: true, value: { path: '{"a":1}' } });
    for (const bad of [
      { options: "[1]" },
      { tags: "{}" },
      { options: "{x}" },
      { count: "5" },
      { tags: "" },
    ]) {
      expect(validator.check({ path: "a", ...bad }).ok).toBe(false);
    }
    expect(validator.check('{"path":"a","options":{"__proto__":{}}}').ok).toBe(false);
    expect(validator.check({ path: "a", options: '{"__proto__":{"x":1}}' }).ok).toBe(false);
    expect(validator.check({ path: "a", tags: "[".repeat(100_000) }).ok).toBe(false);
  });

  it("tells what is wrong inside of JSON text", () => {
    expect(messagesOf(validator.check('{"pth":"a"}'))).toContain('"path" is required (string)');
  });

  it("never repeats much of a value, nor a secret", () => {
    const long = "x".repeat(100_000);
    for (const bad of [
      { path: "a", count: long },
      { path: "a", mode: long },
      { [long]: 1, path: "a" },
    ]) {
      for (const message of messagesOf(validator.check(bad))) expect(message.length).toBeLessThan(400);
    }
  });

  it("ends long lists of faults", () => {
    const strange = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`strange${index}`, 1]));
    const issues = issuesOf(validator.check({ path: "a", ...strange }));
    expect(issues.length).toBeLessThan(60);
    expect(issues.at(-1)?.message).toMatch(/more faults/);
  });

  it("does not take inherited members for arguments", () => {
    for (const name of ["constructor", "toString", "hasOwnProperty", "valueOf"]) {
      expect(messagesOf(validator.check({ path: "a", [name]: "x" }))[0]).toContain(
        `Unknown argument "${name}"`,
      );
    }
  });

  it("publishes the contract that it holds to, frozen, always the same", () => {
    const { jsonSchema } = validator;
    expect(jsonSchema).toMatchObject({ type: "object", required: ["path"], additionalProperties: false });
    expect(jsonSchema["properties"]).toMatchObject({
      path: { type: "string" },
      mode: { enum: ["overwrite", "append"], default: "overwrite" },
    });
    expect(validator.jsonSchema).toBe(jsonSchema);
    expect(Object.isFrozen(jsonSchema) && Object.isFrozen(jsonSchema["properties"])).toBe(true);
    expect(() => JSON.stringify(jsonSchema)).not.toThrow();
  });

  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
        (value) => {
          expect(typeof validator.check(value).ok).toBe("boolean");
          expect(typeof validator.check({ path: "a", options: value }).ok).toBe("boolean");
        },
      ),
    );
  });
});

describe("compileSchema", () => {
  const scalars = {
    string: fc.string(),
    integer: fc.integer(),
    number: fc.double({ noNaN: true, noDefaultInfinity: true }),
    boolean: fc.boolean(),
  };
  const parameter = fc
    .record({
      name: fc.stringMatching(/^[a-z][a-z_]{0,6}$/),
      type: fc.constantFrom("string", "number", "integer", "boolean", "object", "array"),
      required: fc.boolean(),
      values: fc.constantFrom(undefined, ["x", "y"]),
      preset: fc.boolean(),
    })
    .map(({ name, type, required, values, preset }): ToolParameter => {
      if (type !== "string") return { name, type, required };
      return { name, type, required, ...(values && { enum: values }), ...(preset && { default: "x" }) };
    });
  const lists = fc.uniqueArray(parameter, { selector: (one) => one.name, minLength: 1, maxLength: 5 });
  const values = fc.oneof(
    ...Object.values(scalars),
    fc.constantFrom("x", "y", null, [], {}, [1], { a: 1 }, "[]", '{"a":[]}', "{}", -0, 1e300),
  );

  it("gives the same verdict, value and faulty places for all three kinds of source", () => {
    const cases = lists.chain((parameters) => {
      const names = fc.constantFrom(...parameters.map((one) => one.name), "stranger");
      return fc.tuple(fc.constant(parameters), fc.dictionary(names, values, { noNullPrototype: true }));
    });
    fc.assert(
      fc.property(cases, ([parameters, value]) => {
        const verdicts = [toZod(parameters), toJson(parameters), parameters].map((source) => {
          const checked = compileSchema(source).check(value);
          if (checked.ok) return canonicalJson(checked.value);
          return checked.issues.map((issue) => issue.path).toSorted();
        });
        expect(verdicts[1]).toEqual(verdicts[0]);
        expect(verdicts[2]).toEqual(verdicts[0]);
      }),
      { numRuns: randomCases(150) },
    );
  });

  it("refuses what is no schema at all", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const counterfeit = { _zod: { def: null }, safeParse: () => ({}) };
    for (const bad of [null, undefined, 5, "string", true, () => 1, proxy, counterfeit]) {
      expect(() => compileSchema(bad as never)).toThrow(ToolDefinitionError);
    }
  });

  it("takes a result of any type, and leaves keys that are not named alone or drops them", () => {
    expect(compileSchema(z.string(), "output").check("x")).toEqual({ ok: true, value: "x" });
    expect(compileSchema({ type: "array", items: { type: "number" } }, "output").check([1]).ok).toBe(true);
    expect(compileSchema(z.object({ a: z.number() }), "output").check({ a: 1, b: 2 })).toEqual({
      ok: true,
      value: { a: 1 },
    });
    const open = compileSchema({ type: "object", properties: { a: { type: "number" } } }, "output");
    expect(open.check({ a: 1, b: 2 })).toEqual({ ok: true, value: { a: 1, b: 2 } });
    expect(open.jsonSchema).toEqual({ type: "object", properties: { a: { type: "number" } } });
    expect(messagesOf(compileSchema(z.string(), "output").check(5))[0]).toBe(
      "The result: expected string, received number (5)",
    );
  });

  it("does not read JSON out of strings in results", () => {
    expect(compileSchema({ type: "array" }, "output").check("[1]").ok).toBe(false);
  });
});
