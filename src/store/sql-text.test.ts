import { describe, expect, it } from "vitest";
import { isWrite, toNumbered } from "./sql-text.js";

describe("isWrite", () => {
  it.each([
    ["SELECT 1", false],
    ["\n  select * FROM a", false],
    ["PRAGMA user_version", false],
    ["WITH a AS (SELECT 1) SELECT * FROM a", false],
    ["WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a", true],
    ["INSERT INTO a VALUES (1) RETURNING id", true],
    ["DELETE FROM a", true],
    ["selection", true],
    ["", true],
  ])("of %j is %s", (sql, expected) => {
    expect(isWrite(sql)).toBe(expected);
  });
});

describe("toNumbered", () => {
  it.each([
    ["a = ? AND b = ?", "a = $1 AND b = $2"],
    [`'?' "?" ? -- ?\n ? /* ? */ ?`, `'?' "?" $1 -- ?\n $2 /* ? */ $3`],
    ["'it''s ?' || ?", "'it''s ?' || $1"],
  ])("turns %j into %j", (sql, expected) => {
    expect(toNumbered(sql)).toBe(expected);
  });
});
