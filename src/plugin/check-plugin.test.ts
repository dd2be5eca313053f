import { describe, expect, it } from "vitest";
import { acceptFixture } from "./accept.fixture.js";
import { checkPlugin } from "./check-plugin.js";

const tool = {
  name: "greet",
  description: "Greet.",
  category: "custom",
  input: { type: "object" },
  execute: () => "hi",
};
const check = (exported: unknown) => () => checkPlugin(exported, "my.ts", acceptFixture);
const plugin = (changes: Record<string, unknown>) => ({
  default: { name: "p", version: "1.0.0", tools: [tool], ...changes },
});

describe("checkPlugin", () => {
  it("takes a good plugin, and one that CommonJS wrapped", () => {
    expect(check(plugin({}))()).toMatchObject({ name: "p", version: "1.0.0" });
    const wrapped = { default: { __esModule: true, default: plugin({}).default } };
    expect(check(wrapped)().tools[0]?.tool.name).toBe("greet");
  });

  it.each([
    ["whose named exports are its parts", plugin({}).default],
    ["that is the only named plugin", { helper: 1, plugin: plugin({}).default }],
  ])("takes a module without a default export %s", (_, exported) => {
    expect(check(exported)().tools[0]?.tool.name).toBe("greet");
  });

  it.each([
    ["nothing exported", {}, /exports nothing/],
    [
      "two named plugins",
      { one: plugin({}).default, two: plugin({}).default },
      /no default export, only one, two; several of them are plugins.*export default one/,
    ],
    ["named exports that are no plugin", { tool }, /no default export, only tool; write/],
    ["a promise", { default: Promise.resolve({}) }, /is a promise.*export default await/],
    ["a function", { default: () => ({}) }, /is a function/],
    ["a list", { default: [] }, /found a list/],
    ["a number", { default: 7 }, /found 7/],
    ["null", { default: null }, /found null/],
  ])("says what it found in the place of a plugin: %s", (_, exported, message) => {
    expect(check(exported)).toThrow(message);
  });

  it.each([
    [{ name: "My Plugin" }, /"name" must be.*"My Plugin"/],
    [{ name: undefined }, /"name" must be.*found nothing/],
    [{ version: "1.0" }, /"version" must be semver.*"1.0"/],
    [{ version: 1 }, /found 1/],
    [{ tool: [] }, /unknown key "tool"; did you mean "tools"/],
    [{ zebra: 1 }, /unknown key "zebra"; known are/],
    [{ tools: tool }, /"tools" must be a list.*an object/],
    [{ tools: [null] }, /tools\[0\] must be a tool.*null/],
    [{ tools: [Promise.resolve(tool)] }, /tools\[0\] is a promise/],
    [
      { tools: [tool, { ...tool, name: "x", aliases: ["Greet"] }] },
      /tools\[1\] has the name "Greet", which tools\[0\]/,
    ],
    [{ tools: [] }, /neither tools nor extensions/],
    [{ setup: true }, /"setup" must be a function, found true/],
    [{ extensions: {} }, /"extensions" must be a list/],
    [{ extensions: [{}] }, /extensions\[0\] must be an object with a name/],
    [{ description: 3 }, /"description" must be a text/],
  ])("names the rule that %j breaks", (changes, message) => {
    expect(check(plugin(changes))).toThrow(message);
  });

  it("tells all faults at once, with the plugin's name and a way out", () => {
    const bad = plugin({ version: "x", tools: [{ ...tool, description: "" }], setUp: 1 });
    expect(check(bad)).toThrow(
      expect.objectContaining({ code: "PLUGIN_INVALID", hint: expect.stringContaining("definePlugin") }),
    );
    expect(check(bad)).toThrow(/Plugin "p"[^]*setUp[^]*semver[^]*tools\[0\]/);
  });
});
