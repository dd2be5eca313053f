import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { createTestContext } from "../testing/context.js";
import { jsonStringify } from "./json-stringify.js";

function write(data: unknown, pretty = false): string {
  return (jsonStringify.execute({ data, pretty }, createTestContext()) as { text: string }).text;
}

describe("json_stringify", () => {
  it("writes compact text, or indented when asked", () => {
    expect(write({ a: [1, null] })).toBe('{"a":[1,null]}');
    expect(write({ a: [1] }, true)).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  it.each([null, false, 0, "", [], {}])("takes %j as data", (data) => {
    expect(write(data)).toBe(JSON.stringify(data));
  });

  it("writes what can be parsed back", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (data, pretty) => {
        expect(JSON.stringify(JSON.parse(write(data, pretty)))).toBe(JSON.stringify(data));
      }),
    );
  });

  it("requires data and defaults to compact", () => {
    const input = jsonStringify.input as z.ZodType;
    expect(input.safeParse({}).success).toBe(false);
    expect(input.parse({ data: null })).toEqual({ data: null, pretty: false });
  });

  it("refuses what has no JSON form", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const data of [undefined, () => 1, Symbol("s"), 1n, circle]) {
      expect(() => write(data)).toThrow(
        expect.objectContaining({ name: "ToolValidationError", code: "VALUE_INVALID" }),
      );
    }
  });

  it("shows the model the text as it is", () => {
    expect(jsonStringify.render?.({ text: '"a"' }, { data: "a", pretty: false })).toBe('"a"');
  });
});
