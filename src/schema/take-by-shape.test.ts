import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compileSchema } from "./compile-schema.js";
import { takeByShape } from "./take-by-shape.js";

const shape = { word: "string", count: "number?", mark: "boolean?", rest: "other?" };
const schema = z.object({
  word: z.string(),
  count: z.number().optional(),
  mark: z.boolean().optional(),
  rest: z.array(z.string()).optional(),
});

const values: unknown[] = [
  { word: "a" },
  { mark: true, count: 2, word: "" },
  Object.assign(Object.create(null) as object, { word: "a" }),
];
const doubtful: unknown[] = [
  undefined,
  null,
  "a",
  [],
  new Date(),
  Object.create({ word: "a" }),
  {},
  { word: 1 },
  { word: "a", count: Number.NaN },
  { word: "a", count: Number.POSITIVE_INFINITY },
  { word: "a", count: undefined },
  { word: "a", mark: null },
  { word: "a", rest: ["b"] },
  { word: "a", more: 1 },
  { word: "a", ["__proto__"]: 1 },
  { word: "a", toString: 1 },
];

describe("taking a value by its shape", () => {
  it.each(values)("gives what the schema gives: %j", (value) => {
    const taken = takeByShape(value, shape);
    for (const role of ["input", "output"] as const) {
      const checked = compileSchema(schema, role).check(value);
      expect({ ok: true, value: taken }).toEqual(checked);
      const keys = Object.keys((checked as { value: object }).value);
      expect(Object.keys(taken ?? {}), "in the same order").toEqual(keys);
    }
    expect(taken).not.toBe(value);
  });

  it.each(doubtful)("leaves to the schema what is not plainly right: %j", (value) => {
    expect(takeByShape(value, shape)).toBeUndefined();
  });
});
