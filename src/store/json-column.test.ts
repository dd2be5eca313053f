import { expect, it } from "vitest";
import { parseColumn, toColumn } from "./json-column.js";

it("a column holds what JSON can hold", () => {
  for (const value of [null, 1, "text", [1, { a: null }]]) {
    expect(parseColumn(toColumn(value, "It"), "It", "file")).toEqual(value);
  }
});

it("what is not JSON is refused by its name, with the cause where there is one", () => {
  const refusal = (value: unknown): { message: string; code: string; cause?: unknown } => {
    try {
      return { message: toColumn(value, "A plan"), code: "" };
    } catch (error) {
      return error as { message: string; code: string; cause?: unknown };
    }
  };
  const message = "A plan cannot be stored: it is not JSON data.";
  expect(refusal({ n: 1n })).toMatchObject({
    message,
    code: "VALUE_INVALID",
    cause: expect.any(TypeError) as unknown,
  });
  for (const value of [undefined, () => 1, Symbol("s")]) {
    expect(refusal(value)).toMatchObject({ message, code: "VALUE_INVALID" });
    expect(refusal(value).cause).toBeUndefined();
  }
});

it("a column that is not readable is a damaged state, by its file", () => {
  expect(() => parseColumn("{", "The plan", "/state.db")).toThrow(/\/state\.db.*The plan is not readable/s);
});
