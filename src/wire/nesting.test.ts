import { expect, it } from "vitest";
import { isTooDeep, maxNesting, mayBeTooDeep } from "./nesting.js";

const nested = (levels: number, open: string, close: string): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;

it.each([
  ["[", "]"],
  ['{"a":', "}"],
  ['[{"a":', "}]"],
])("finds what is nested deeper than a message may be, built of %s", (open, close) => {
  const perStep = open.startsWith("[{") ? 2 : 1;
  const text = nested(maxNesting / perStep, open, close);
  expect(isTooDeep(JSON.parse(text))).toBe(false);
  const deeper = `[${text}]`;
  expect(isTooDeep(JSON.parse(deeper))).toBe(true);
  expect(mayBeTooDeep(deeper)).toBe(true);
  expect(isTooDeep(JSON.parse(nested(100_000, open, close)))).toBe(true);
});
