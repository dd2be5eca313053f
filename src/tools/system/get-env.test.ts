import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { createTestContext } from "../testing/context.js";
import { getEnv } from "./get-env.js";

const context = createTestContext({ env: { NODE_ENV: "test", EMPTY: "" } });

describe("get_env", () => {
  it("reads a variable of the session", () => {
    expect(getEnv.execute({ key: "NODE_ENV" }, context)).toEqual({ value: "test" });
    expect(getEnv.execute({ key: "EMPTY" }, context)).toEqual({ value: "" });
  });

  it.each(["MISSING", "constructor", "__proto__", "toString"])(
    "answers null for %s, which is not set",
    (key) => {
      expect(getEnv.execute({ key }, context)).toEqual({ value: null });
    },
  );

  it("passes on what the port refuses", () => {
    const env = {
      get: () => {
        throw new Error("secret");
      },
      set: () => null,
      entries: () => new Map<string, string>(),
    };
    expect(() => getEnv.execute({ key: "API_KEY" }, createTestContext({ env }))).toThrow("secret");
  });

  it("names the variable as what it reads", () => {
    expect(getEnv.resources?.({ key: "A" })).toEqual({ reads: [{ env: "A" }] });
  });

  it.each(["", "1A", "A=B", "A\0", "A B", "BASH_FUNC_ls%%", "Ä", "A\n", "x".repeat(257)])(
    "takes no key %j",
    (key) => {
      expect((getEnv.input as z.ZodType).safeParse({ key }).success).toBe(false);
    },
  );

  it("tells an empty variable from a missing one", () => {
    expect(getEnv.render?.({ value: null }, { key: "A" })).toBe("A is not set.");
    expect(getEnv.render?.({ value: "" }, { key: "A" })).toBe("A is set, but empty.");
    expect(getEnv.render?.({ value: "x y" }, { key: "A" })).toBe("x y");
  });
});
