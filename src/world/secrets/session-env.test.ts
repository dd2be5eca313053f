import { describe, expect, it } from "vitest";
import { createSessionEnv } from "./session-env.js";

const open = (initial: Record<string, string> = {}) =>
  createSessionEnv({ initial, isAllowed: (name) => name === "CI_TOKEN" });

describe("the session's environment", () => {
  it("keeps its own values and leaves the process alone", () => {
    const env = open({ LANG: "C" });
    expect(env.set("LANG", "de_DE")).toBe("C");
    expect(env.get("LANG")).toBe("de_DE");
    expect(env.get("NEVER_SET")).toBeNull();
    expect(process.env["LANG"]).not.toBe("de_DE");
  });

  it("refuses secret-looking names, for reading and for writing, unless they are allowed", () => {
    const env = open({ AWS_SECRET_ACCESS_KEY: "x" });
    expect(() => env.get("AWS_SECRET_ACCESS_KEY")).toThrow(/looks like a secret/);
    expect(() => env.set("DB_PASSWORD", "x")).toThrow(/Access denied/);
    expect(env.set("CI_TOKEN", "t")).toBeNull();
  });

  it.each(["", "A=B", "A\0B"])("refuses the name %j", (key) => {
    expect(() => open().set(key, "x")).toThrow(/name/);
  });

  it("refuses a value with NUL and finds nothing inherited", () => {
    expect(() => open().set("A", "x\0y")).toThrow(/NUL/);
    expect(open().get("constructor")).toBeNull();
  });
});
