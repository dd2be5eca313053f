import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tool } from "../../contract/tool.js";

/** What holds for the tools of every category. */
export function describeTools(category: string, tools: readonly Tool[]): void {
  const named = tools.map((tool) => [tool.name, tool] as const);

  describe(`the tools in ${category}/`, () => {
    it.each(named)("%s describes itself and its arguments", (_name, tool) => {
      expect(tool.description).toMatch(/^[A-Z][^\n]+\.$/);
      expect(tool.category).toBe(category);
      const schema = z.toJSONSchema(tool.input as z.ZodType) as { properties: Record<string, object> };
      for (const argument of Object.values(schema.properties)) expect(argument).toHaveProperty("description");
    });

    it.each(named)("%s has examples that fit its schema", (_name, tool) => {
      expect(tool.examples?.length).toBeGreaterThan(0);
      const input = tool.input as z.ZodType;
      for (const example of tool.examples ?? [])
        expect(input.safeParse(example.arguments).success).toBe(true);
    });
  });
}
