import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createShellTools } from "./index.js";

const tools = Object.entries(createShellTools()).map(([name, make]) => [name, make()] as const);

describe("the tools in shell/", () => {
  it.each(tools)("%s describes itself and its arguments", (_name, tool) => {
    expect(tool.description).toMatch(/^[A-Z][^\n]+\.$/);
    expect(tool.category).toBe("shell");
    const schema = z.toJSONSchema(tool.input as z.ZodType) as { properties?: Record<string, object> };
    for (const argument of Object.values(schema.properties ?? {}))
      expect(argument).toHaveProperty("description");
  });

  it.each(tools)("%s has examples that fit its schema", (_name, tool) => {
    expect(tool.examples?.length).toBeGreaterThan(0);
    const input = tool.input as z.ZodType;
    for (const example of tool.examples ?? []) expect(input.safeParse(example.arguments).success).toBe(true);
  });
});
