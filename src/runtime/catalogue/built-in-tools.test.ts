import { describe, expect, it } from "vitest";
import { ToolRegistry } from "../../registry/tool-registry.js";
import { builtInToolMakers, createBuiltInTools, registerTools } from "./built-in-tools.js";

const names = Object.keys(builtInToolMakers());

describe("the built-in tools", () => {
  it.each(Object.entries(builtInToolMakers()))(
    "%s has the name that it is registered under",
    (name, make) => {
      expect(make().name).toBe(name);
    },
  );

  it("are made again for each registry", () => {
    const [one, other] = [createBuiltInTools(), createBuiltInTools()];
    const at = names.indexOf("shell_exec");
    expect(one[at]).not.toBe(other[at]);
  });

  it("are listed in the same order with and without the tools of providers", () => {
    for (const native of [[], ["openai"]] as const) {
      const registry = new ToolRegistry({ isHeard: () => false });
      registerTools(registry, native);
      const all = registry.list({ includeDisabled: true }).map(({ name }) => name);
      expect(all.filter((name) => names.includes(name))).toEqual(names);
    }
  });
});
