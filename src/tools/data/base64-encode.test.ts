import { describe, expect, it } from "vitest";
import { createTestContext } from "../testing/context.js";
import { base64Encode } from "./base64-encode.js";

const encode = (text: string) => base64Encode.execute({ text }, createTestContext());

describe("base64_encode", () => {
  it.each([
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foobar", "Zm9vYmFy"],
    ["你好", "5L2g5aW9"],
    ["😀", "8J+YgA=="],
    ["\uFEFFa\0", "77u/YQA="],
  ])("encodes %j as UTF-8", (text, encoded) => {
    expect(encode(text)).toEqual({ encoded });
  });

  it.each(["\uD83D", "a\uDE00b", "\uDE00\uD83D"])(
    "refuses half a character instead of replacing it",
    (text) => {
      expect(() => encode(text)).toThrow(
        expect.objectContaining({ name: "ToolValidationError", code: "VALUE_INVALID" }),
      );
    },
  );
});
