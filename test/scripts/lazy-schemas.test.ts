import { describe, expect, it } from "vitest";
import { lazySchemas } from "../../scripts/lazy-schemas.mjs";

const plugin = lazySchemas("/project");

describe("the build", () => {
  it("makes the schemas of built-in tools lazy, also those that are only named", () => {
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
    expect(changed).toContain("output: new LazySchema(() => named),");
    expect(changed).toContain(
      "{ input: new LazySchema(() => z.object({})), output: new LazySchema(() => z.number()) }",
    );
    expect(changed).toContain("other({ input: z.string() })");
    expect(changed.split("\n"), "lines stay where they are").toHaveLength(code.split("\n").length);
  });

  it("keeps the name of a schema that is written short", () => {
    const changed = plugin.transform("defineTool({ input });", "/project/src/tools/data/a.ts")?.code;
    expect(changed).toContain("defineTool({ input: new LazySchema(() => input) });");
  });

  it("leaves other files alone", () => {
    expect(plugin.transform("defineTool({ input: z.object({}) })", "/project/src/index.ts")).toBeUndefined();
  });
});
