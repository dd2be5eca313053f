import { describe, expect, it } from "vitest";
import { lazySchemas } from "../../scripts/lazy-schemas.mjs";

const plugin = lazySchemas("/project");

describe("the build", () => {
  it("makes the schemas of built-in tools lazy, and leaves those that exist already", () => {
    const code = `const named = z.object({});
export const tool = defineTool({
  name: "a",
  input: z.object({ word: z.string() }),
  output: named,
  preview: () => defineTool({ input: z.object({}), output: z.number() }),
  execute: ({ input }) => other({ input: z.string() }),
});`;
    const changed = plugin.transform(code, "/project/src/tools/data/a.ts")?.code ?? "";
    expect(changed).toContain("input: new LazySchema(() => z.object({ word: z.string() })),");
    expect(changed).toContain("output: named,");
    expect(changed).toContain(
      "{ input: new LazySchema(() => z.object({})), output: new LazySchema(() => z.number()) }",
    );
    expect(changed).toContain("other({ input: z.string() })");
    expect(changed.split("\n"), "lines stay where they are").toHaveLength(code.split("\n").length);
  });

  it("leaves other files alone", () => {
    expect(plugin.transform("defineTool({ input: z.object({}) })", "/project/src/index.ts")).toBeUndefined();
  });
});
