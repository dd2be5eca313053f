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
    expect(changed).toContain(
      'input: new LazySchema(() => z.object({ word: z.string() }), {"word":"string"}),',
    );
    expect(changed).toContain("output: new LazySchema(() => named),");
    expect(changed).toContain(
      "{ input: new LazySchema(() => z.object({}), {}), output: new LazySchema(() => z.number()) }",
    );
    expect(changed).toContain("other({ input: z.string() })");
    expect(changed.split("\n"), "lines stay where they are").toHaveLength(code.split("\n").length);
  });

  it("keeps the name of a schema that is written short", () => {
    const changed = plugin.transform("defineTool({ input });", "/project/src/tools/data/a.ts")?.code;
    expect(changed).toContain("defineTool({ input: new LazySchema(() => input) });");
  });

  it.each([
    [
      "z.object({ a: z.number().optional(), 'b c': z.boolean().describe('b') })",
      { a: "number?", "b c": "boolean" },
    ],
    [
      "z.object({ a: z.string().max(3).optional(), b: z.array(z.any()).optional() })",
      { a: "other?", b: "other?" },
    ],
    ["z.object({ a: z.string().max(3) })", undefined],
    ["z.object({ a: z.string().optional().default('x') })", undefined],
    ["z.object({ a: z.string().trim().optional() })", undefined],
    ["z.object({ a: z.coerce.string() })", undefined],
    ["z.object({ a: z.string({ error: 'no' }) })", undefined],
    ["z.object({ a: named })", undefined],
    ["z.object({ ...named })", undefined],
    ["z.object({ [named]: z.string() })", undefined],
    ["z.object({ a: z.string() }).loose()", undefined],
    ["z.object({ a: z.string() }, { error: 'no' })", undefined],
    ["z.strictObject({ a: z.string() })", undefined],
  ])("knows the shape of %s", (schema, shape) => {
    const changed = plugin.transform(
      `defineTool({ input: ${schema} });`,
      "/project/src/tools/data/a.ts",
    )?.code;
    const known = shape === undefined ? "" : `, ${JSON.stringify(shape)}`;
    expect(changed).toContain(`new LazySchema(() => ${schema}${known})`);
  });

  it("leaves other files alone", () => {
    expect(plugin.transform("defineTool({ input: z.object({}) })", "/project/src/index.ts")).toBeUndefined();
  });
});
