import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { createTestContext } from "../testing/context.js";
import { getEnv } from "./get-env.js";
import { setEnv } from "./set-env.js";

describe("set_env", () => {
  it("sets a variable that later calls read, and answers with what was there", async () => {
    const context = createTestContext({ env: { MODE: "old" } });
    expect(await setEnv.execute({ key: "MODE", value: "new" }, context)).toEqual({ previous: "old" });
    expect(await setEnv.execute({ key: "FRESH", value: "" }, context)).toEqual({ previous: null });
    expect(getEnv.execute({ key: "MODE" }, context)).toEqual({ value: "new" });
    expect(getEnv.execute({ key: "FRESH" }, context)).toEqual({ value: "" });
  });

  it("leaves the host process alone", async () => {
    await setEnv.execute({ key: "TENON_SET_ENV_TEST", value: "1" }, createTestContext());
    expect(process.env).not.toHaveProperty("TENON_SET_ENV_TEST");
  });

  it("refuses a NUL in the value and changes nothing", async () => {
    const context = createTestContext({ env: { A: "1" } });
    await expect(setEnv.execute({ key: "A", value: "2\0B=3" }, context)).rejects.toMatchObject({
      name: "ToolValidationError",
      code: "VALUE_INVALID",
    });
    expect(context.env.get("A")).toBe("1");
  });

  it.each(["", "1A", "A=B", "A\0", "A B", "BASH_FUNC_ls%%", "BASH_FUNC_ls()"])("takes no key %j", (key) => {
    expect((setEnv.input as z.ZodType).safeParse({ key, value: "" }).success).toBe(false);
  });

  it("names the variable as what it writes", () => {
    expect(setEnv.resources?.({ key: "A", value: "" })).toEqual({ writes: [{ env: "A" }] });
  });

  it.each([
    "PATH",
    "LD_PRELOAD",
    "BASH_ENV",
    "NODE_OPTIONS",
    "PYTHONPATH",
    "GIT_SSH_COMMAND",
    "PAGER",
    "npm_config_script_shell",
  ])("wants a person asked before %s changes what later commands run", async (key) => {
    const verdict = await setEnv.checkPermissions?.({ key, value: "x" }, createTestContext());
    expect(verdict).toMatchObject({ behavior: "ask" });
  });

  it.each(["NODE_ENV", "DEBUG", "LANG", "TZ", "CI", "PORT", "GOOD", "PYTHONUNBUFFERED"])(
    "asks nobody for %s",
    async (key) => {
      const verdict = await setEnv.checkPermissions?.({ key, value: "x" }, createTestContext());
      expect(verdict).toEqual({ behavior: "allow" });
    },
  );

  it("says what was there before", () => {
    const input = { key: "A", value: "2" };
    expect(setEnv.render?.({ previous: null }, input)).toBe("Set A; it was not set before.");
    expect(setEnv.render?.({ previous: "1" }, input)).toBe('Set A; the previous value was "1".');
  });
});
