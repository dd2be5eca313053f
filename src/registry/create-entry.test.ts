import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { LazySchema } from "../contract/lazy-schema.js";
import { thrown } from "./registry.fixture.js";
import { ToolRegistry } from "./tool-registry.js";

describe("a schema that the build made lazy", () => {
  it("is made when it is first needed, and once", () => {
    let made = 0;
    const input = new LazySchema(() => {
      made++;
      return z.object({ word: z.string() });
    });
    const registry = new ToolRegistry();
    registry.register(toolWith(input));
    expect(registry.list()).toHaveLength(1);
    expect(made, "registered").toBe(0);
    const validator = entry(registry).input;
    expect(validator.jsonSchema).toMatchObject({ properties: { word: { type: "string" } } });
    expect([validator.check({ word: "a" }).ok, validator.check({ word: 1 }).ok]).toEqual([true, false]);
    expect(made, "used").toBe(1);
  });

  it("is an ordinary one for whatever reads the tool", () => {
    const schema = z.object({});
    const tool = toolWith(new LazySchema(() => schema));
    expect(tool.input).toBe(schema);
    expect({ ...tool }.input).toBe(schema);
    expect(tool.output).toBeUndefined();
  });

  it("names the tool where it is wrong", () => {
    const registry = new ToolRegistry();
    registry.register(toolWith(new LazySchema(() => 7 as never)));
    expect(thrown(() => entry(registry).input.check({})).message).toContain('Tool "lazy", input schema');
  });
});

function toolWith(input: LazySchema) {
  return defineTool({
    name: "lazy",
    description: "Waits.",
    category: "data",
    input: input as unknown as z.ZodType,
    execute: () => ({}),
  });
}

function entry(registry: ToolRegistry) {
  return registry.resolve("lazy", { agent: "default" } as never);
}
