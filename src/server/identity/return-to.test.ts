import { expect, it } from "vitest";
import { safeReturnTo } from "./return-to.js";

it.each(["/", "/calls", "/calls?tool=a&x=1#top", "/logins", "/a/../b"])("goes back to %s", (wanted) => {
  expect(safeReturnTo(wanted)).toBe(wanted === "/a/../b" ? "/b" : wanted);
});

it.each([
  null,
  "",
  "calls",
  "//evil.example",
  "/\\evil.example",
  "/a\\b",
  "https://evil.example/",
  "/a/..//evil.example",
  "/a b",
  "/\n/evil.example",
  "/login",
  "/login-return?code=1",
  "/enter/x",
  "/api/calls",
  "/mcp",
  `/${"a".repeat(2000)}`,
])("goes to the console itself instead of %j", (wanted) => {
  expect(safeReturnTo(wanted)).toBe("/");
});
