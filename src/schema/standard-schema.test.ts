import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { defineTool } from "../contract/define-tool.js";
import { createTenon } from "../runtime/create-tenon.js";
import { compileSchema } from "./compile-schema.js";

const person = v.object({ name: v.string(), age: v.optional(v.number(), 30) });

describe("a Standard Schema", () => {
  it("of another library is the input of a tool, with its types and defaults", async () => {
    const tool = defineTool({
      name: "birthday",
      description: "One year more.",
      category: "custom",
      annotations: { readOnly: true },
      input: person,
      execute: ({ name, age }) => ({ name, age: age + 1 }),
    });
    const tenon = createTenon({ tools: [tool], config: { database: ":memory:" } });
    expect(await tenon.call(tool, { name: "Ada" })).toMatchObject({ result: { name: "Ada", age: 31 } });
    const { error } = await tenon.call({ name: "birthday", arguments: { name: 3 } });
    expect(error).toMatchObject({ code: "ARGUMENTS_INVALID" });
    expect(error?.message).toMatch(/name.*string/i);
    await tenon.close();
  });

  const standard = (members: object) =>
    compileSchema({
      "~standard": { version: 1, vendor: "x", validate: (value: unknown) => ({ value }), ...members },
    });

  it("shows models its own JSON Schema, where it has one", () => {
    const shown = { type: "object", properties: { a: { type: "string" } } };
    expect(standard({ jsonSchema: { input: () => shown, output: () => shown } }).jsonSchema).toEqual(shown);
    expect(standard({}).jsonSchema).toEqual({ type: "object" });
  });

  it("that throws, waits or takes no object refuses the value, and never throws", () => {
    const thrower = standard({
      validate: () => {
        throw new Error("broken");
      },
    });
    expect(thrower.check({})).toMatchObject({ ok: false });
    expect(standard({ validate: async () => ({ value: 1 }) }).check({})).toMatchObject({ ok: false });
    expect(standard({}).check("text")).toMatchObject({ ok: false });
    const path = [{ key: "a" }, 0, "b"];
    const faulty = standard({ validate: () => ({ issues: [{ message: "too old", path }] }) });
    expect(faulty.check({})).toMatchObject({ ok: false, issues: [{ path: "a[0].b" }] });
  });
});
