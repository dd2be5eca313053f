import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod/v3";
import { ToolDefinitionError } from "../contract/errors.js";
import { compileSchema } from "./compile-schema.js";

function checkOf(schema: z.ZodType) {
  const validator = compileSchema(schema);
  return (value: unknown) => validator.check(value);
}

function messagesOf(schema: z.ZodType, value: unknown): readonly string[] {
  const checked = compileSchema(schema).check(value);
  if (checked.ok) throw new Error("It passed.");
  return checked.issues.map((issue) => issue.message);
}

interface Tree {
  name: string;
  kids?: Tree[] | undefined;
}

describe("a Zod schema", () => {
  it("refuses unknown keys of plain objects at any level", () => {
    const schema = z.object({
      files: z.array(z.object({ path: z.string() })),
      where: z.object({ line: z.number() }).optional(),
      map: z.record(z.string(), z.object({ a: z.number() })).default({}),
    });
    expect(
      messagesOf(schema, {
        files: [{ path: "a", pth: 1 }],
        where: { line: 1, col: 2 },
        map: { k: { a: 1, b: 2 } },
      }),
    ).toEqual([
      'Unknown argument "pth" in "files[0]". Did you mean "path"?',
      'Unknown argument "col" in "where". Known: line',
      'Unknown argument "b" in "map.k". Known: a',
    ]);
  });

  it("leaves open what says that it is open", () => {
    const schema = z.looseObject({
      a: z.object({}).catchall(z.number()).optional(),
      r: z.record(z.string(), z.unknown()).optional(),
    });
    const value = { a: { x: 1 }, r: { any: "thing" }, more: true };
    const validator = compileSchema(schema);
    expect(validator.check(value)).toEqual({ ok: true, value });
    expect(validator.jsonSchema["additionalProperties"]).not.toBe(false);
    expect(validator.check({ a: { x: "no" } }).ok).toBe(false);
  });

  it("chooses the branch of a union that knows all keys", () => {
    const schema = z.object({
      u: z.union([z.object({ a: z.number() }), z.object({ a: z.number(), b: z.number() })]),
    });
    expect(compileSchema(schema).check({ u: { a: 1, b: 2 } })).toEqual({
      ok: true,
      value: { u: { a: 1, b: 2 } },
    });
  });

  it("says of a union what is wrong with the branch that was meant", () => {
    const schema = z.object({
      shape: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("circle"), r: z.number() }),
        z.object({ kind: z.literal("box"), w: z.number() }),
      ]),
      size: z.union([z.number(), z.object({ w: z.number() })]).optional(),
    });
    expect(messagesOf(schema, { shape: { kind: "box", r: 1 } })).toEqual([
      '"shape.w" is required (number)',
      'Unknown argument "r" in "shape". Known: kind, w',
    ]);
    expect(messagesOf(schema, { shape: { kind: "bx" } })[0]).toMatch(
      /"shape.kind": expected one of "circle", "box"/,
    );
    expect(messagesOf(schema, { shape: {} })[0]).toMatch(/"shape.kind" is required/);
    expect(messagesOf(schema, { shape: { kind: "box", w: 1 }, size: "x" })).toEqual([
      '"size": expected number or object, received string ("x")',
    ]);
    expect(messagesOf(schema, { shape: { kind: "box", w: 1 }, size: {} })).toEqual([
      '"size.w" is required (number)',
    ]);
  });

  it("keeps intersections usable, and closed as a whole", () => {
    const validator = compileSchema(z.intersection(z.object({ a: z.number() }), z.object({ b: z.number() })));
    expect(validator.check({ a: 1, b: 2 })).toEqual({ ok: true, value: { a: 1, b: 2 } });
    expect(validator.check({ a: 1, b: 2, c: 3 }).ok).toBe(false);
    const held = compileSchema(validator.jsonSchema);
    expect(held.check({ a: 1, b: 2 }).ok).toBe(true);
    expect(held.check({ a: 1, b: 2, c: 3 }).ok).toBe(false);
  });

  it("takes recursive schemas, by getter and by lazy", () => {
    const byGetter = z.object({
      name: z.string(),
      get kids() {
        return z.array(byGetter).optional();
      },
    });
    const byLazy: z.ZodType<Tree> = z.object({
      name: z.string(),
      kids: z.array(z.lazy(() => byLazy)).optional(),
    });
    for (const schema of [byGetter, byLazy]) {
      const validator = compileSchema(schema);
      const value = { name: "a", kids: [{ name: "b", kids: [] }] };
      expect(validator.check(value)).toEqual({ ok: true, value });
      expect(messagesOf(schema, { name: "a", kids: [{ nme: "b" }] })).toContain(
        'Unknown argument "nme" in "kids[0]". Did you mean "name"?',
      );
      expect(JSON.stringify(validator.jsonSchema)).toContain('"additionalProperties":false');
    }
  });

  it("runs refinements, transforms, defaults and the author's own messages", () => {
    const schema = z
      .object({
        from: z.number(),
        to: z.number({ error: "Give the last line." }),
        tag: z.string().trim().default("x"),
      })
      .refine(({ from, to }) => from <= to, { message: "from must not be after to", path: ["from"] });
    expect(compileSchema(schema).check({ from: 1, to: 2 })).toEqual({
      ok: true,
      value: { from: 1, to: 2, tag: "x" },
    });
    expect(messagesOf(schema, { from: 3, to: 2 })).toEqual(['"from": from must not be after to']);
    expect(messagesOf(schema, { from: 3 })).toEqual(['"to": Give the last line']);
    const doubled = z.object({ a: z.number() }).transform(({ a }) => ({ a: a * 2, extra: true }));
    expect(compileSchema(doubled).check({ a: 2 })).toEqual({ ok: true, value: { a: 4, extra: true } });
    expect(compileSchema(doubled).check({ a: 2, extra: 1 }).ok).toBe(false);
    const piped = doubled.pipe(z.object({ a: z.number(), extra: z.unknown() }).pick({ a: true }) as never);
    expect(compileSchema(piped).check({ a: 2 })).toEqual({ ok: true, value: { a: 4 } });
  });

  it("says limits in words", () => {
    const schema = z.object({ n: z.number().min(1).max(5).optional(), s: z.string().min(2).optional() });
    expect(messagesOf(schema, { n: 9, s: "x" })).toEqual([
      '"n": Too big: expected number to be <=5',
      '"s": Too small: expected string to have >=2 characters',
    ]);
    const range = z.array(z.number()).length(2).optional();
    const lists = z.object({ range, either: z.union([z.number(), z.array(z.string()).min(3)]).optional() });
    expect(messagesOf(lists, { range: "1-2" })).toEqual(['"range": expected array, received string ("1-2")']);
    expect(messagesOf(lists, { range: [1] })).toEqual([
      '"range": Too small: expected array to have exactly 2 items',
    ]);
    expect(messagesOf(lists, { either: "x" }).join()).not.toContain("characters");
  });

  it("reads JSON text only where no string was allowed", () => {
    const schema = z.object({
      either: z.union([z.string(), z.array(z.string())]).optional(),
      only: z.union([z.array(z.number()), z.object({ a: z.number() })]).optional(),
      items: z.array(z.object({ at: z.tuple([z.number()]) })).optional(),
    });
    const check = checkOf(schema);
    expect(check({ either: '["a"]' })).toEqual({ ok: true, value: { either: '["a"]' } });
    expect(check({ only: '{"a":1}' })).toEqual({ ok: true, value: { only: { a: 1 } } });
    expect(check({ items: ['{"at":[1]}', { at: "[2]" }] })).toEqual({
      ok: true,
      value: { items: [{ at: [1] }, { at: [2] }] },
    });
  });

  it("answers clearly where a check is asynchronous or throws", () => {
    const waits = z.object({ a: z.string().refine(async () => Promise.resolve(true)) });
    expect(messagesOf(waits, { a: "x" })[0]).toMatch(/asynchronous/);
    const throws = z.object({
      a: z.string().refine(() => {
        throw new Error("boom");
      }),
    });
    expect(messagesOf(throws, { a: "x" })[0]).toMatch(/boom/);
  });

  it("has a JSON Schema even for types that JSON does not know", () => {
    const { jsonSchema } = compileSchema(
      z.object({ when: z.date(), id: z.bigint().optional(), n: z.string().transform(Number) }),
    );
    expect(jsonSchema).toMatchObject({
      type: "object",
      required: ["when", "n"],
      properties: { n: { type: "string" } },
    });
  });

  it("keeps descriptions in the JSON Schema", () => {
    const { jsonSchema } = compileSchema(z.object({ zone: z.string().optional().describe("IANA name") }));
    expect(jsonSchema).toEqual({
      type: "object",
      properties: { zone: { type: "string", description: "IANA name" } },
      additionalProperties: false,
    });
  });

  it("publishes what it enforces: the JSON Schema judges as the schema does", () => {
    const schema = z.object({ a: z.object({ b: z.number() }).optional(), c: z.enum(["x"]).default("x") });
    const own = compileSchema(schema);
    const other = compileSchema(own.jsonSchema);
    for (const value of [{}, { a: { b: 1 } }, { a: { b: 1, z: 2 } }, { a: {} }, { c: "y" }, { d: 1 }]) {
      expect(other.check(value).ok).toBe(own.check(value).ok);
    }
  });

  it("checks names that every object inherits", () => {
    const check = checkOf(z.object({ constructor: z.string().optional(), valueOf: z.number().optional() }));
    expect(check({})).toEqual({ ok: true, value: {} });
    expect(check({ constructor: "x" })).toMatchObject({ ok: true, value: { constructor: "x" } });
  });

  it("may be of the small build", () => {
    const check = checkOf(
      mini.object({ a: mini.string(), n: mini.optional(mini.number().check(mini.minimum(3))) }) as never,
    );
    expect(check({ a: "x" })).toEqual({ ok: true, value: { a: "x" } });
    const checked = check({ b: 1, n: 2 });
    expect(checked.ok ? [] : checked.issues.map((issue) => issue.path).toSorted()).toEqual(["a", "b", "n"]);
  });

  it("is refused where arguments could never be an object", () => {
    for (const bad of [
      z.string(),
      z.array(z.number()),
      z.date(),
      z.string().optional(),
      z.null(),
      z.string().transform(Number),
    ]) {
      expect(() => compileSchema(bad)).toThrow(ToolDefinitionError);
    }
    for (const good of [
      z.object({}),
      z.record(z.string(), z.number()),
      z.any(),
      z.object({}).default({}),
      z.preprocess((x) => x, z.object({})),
    ]) {
      expect(compileSchema(good).jsonSchema["type"]).toBe("object");
    }
  });

  it("is refused clearly where it is of Zod 3", () => {
    expect(() => compileSchema(z3.object({ a: z3.string() }) as never)).toThrow(/Zod 3/);
  });
});
