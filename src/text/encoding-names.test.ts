import { describe, expect, it } from "vitest";
import { listEncodings } from "./encoding-names.js";

describe("listEncodings", () => {
  it("offers encodings of text only", () => {
    const names = listEncodings();
    expect(names).toContain("shift_jis");
    expect(names.filter((name) => /^(?:base64|hex|_internal)$/.test(name))).toEqual([]);
  });
});
