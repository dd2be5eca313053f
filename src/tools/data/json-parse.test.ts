import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ToolValidationError } from "../../contract/errors.js";
import { createTestContext } from "../testing/context.js";
import { jsonParse } from "./json-parse.js";

function parse(text: string): unknown {
  return (jsonParse.execute({ text }, createTestContext()) as { data: unknown }).data;
}

function refusal(text: string): ToolValidationError {
  try {
    parse(text);
  } catch (error) {
    return error as ToolValidationError;
  }
  throw new Error("the text was taken");
}

describe("json_parse", () => {
  it.each([
    ["null", null],
    ["0", 0],
    ['"x"', "x"],
    [' {"a": [1, {"b": null}]}\n', { a: [1, { b: null }] }],
  ])("parses %j", (text, data) => {
    expect(parse(text)).toEqual(data);
  });

  it("parses back whatever JSON can say", () => {
    const plain = fc
      .jsonValue({ maxDepth: 5 })
      .filter((value) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(plain, (value) => {
        expect(JSON.stringify(parse(JSON.stringify(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each([
    ["", 1, 1],
    ['{"a": 1,}', 1, 9],
    ['{\n  "a": 1,\n  "b": oops\n}', 3, 8],
    ["[1,\r\n2,\r\n'x']", 3, 1],
    ['{"a": "open', 1, 12],
    ["\uFEFF{}", 1, 1],
    ["{} {}", 1, 4],
  ])("says line and column for %j", (text, line, column) => {
    const error = refusal(text);
    expect(error).toBeInstanceOf(ToolValidationError);
    expect(error).toMatchObject({ code: "VALUE_INVALID", details: { line, column } });
    expect(error.message).toContain(`line ${line}, column ${column}`);
  });

  it.each([
    ["nesting without end", "[".repeat(100_000) + "]".repeat(100_000)],
    ["a number that would become Infinity", '{"a": 1e999}'],
    ["a key that changes prototypes", '{"__proto__": {"admin": true}}'],
  ])("refuses %s", (_case, text) => {
    expect(refusal(text)).toMatchObject({ name: "ToolValidationError", code: "VALUE_INVALID" });
  });

  it("shows the model the data alone", () => {
    expect(jsonParse.render?.({ data: { a: 1 } }, { text: "" })).toBe('{\n  "a": 1\n}');
  });
});
