import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attempt, errnoOf, ignoring } from "./errno.js";

describe("system errors", () => {
  const missing = join(mkdtempSync(join(tmpdir(), "tenon-errno-")), "missing");
  const thrownBy = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      return error;
    }
  };

  it("tells the code of a failed file operation, and none of other errors", () => {
    expect(errnoOf(thrownBy(() => readFileSync(missing)))).toBe("ENOENT");
    expect(errnoOf(Object.assign(new Error("x"), { code: "42P01" }))).toBeUndefined();
    expect(errnoOf(undefined)).toBeUndefined();
  });

  it("ignores the named errors only", () => {
    expect(ignoring("ENOENT", () => readdirSync(missing))).toBeUndefined();
    expect(ignoring(["EACCES", "ENOENT"], () => readdirSync(missing))).toBeUndefined();
    expect(() => ignoring("EACCES", () => readdirSync(missing))).toThrow("ENOENT");
    expect(() => ignoring("ENOENT", () => JSON.parse("{") as unknown)).toThrow(SyntaxError);
    expect(ignoring("ENOENT", () => 1)).toBe(1);
  });

  it("turns any failure of an attempt into undefined", () => {
    expect(attempt(() => JSON.parse("{") as unknown)).toBeUndefined();
    expect(attempt(() => 1)).toBe(1);
  });
});
