import { describe, expect, it } from "vitest";
import { makeNamed, thrown } from "./registry.fixture.js";
import { ToolRegistry } from "./tool-registry.js";
import { checkName } from "./tool-name.js";

const names = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name);

describe("finding tools by words", () => {
  const registry = new ToolRegistry();
  registry.register(makeNamed("zip", { description: "Packs things." }));
  registry.register(makeNamed("unzip_all", { description: "Unpacks things." }));
  registry.register(makeNamed("other", { aliases: ["zip_it"], description: "Nothing of note." }));
  registry.register(makeNamed("last", { description: "Is like zip, in words only.", category: "network" }));

  it("puts a whole name before a part of one, and both before a description", () => {
    expect(names(registry.find({ text: "zip" }))).toEqual(["zip", "unzip_all", "other", "last"]);
  });

  it("wants every word somewhere", () => {
    expect(names(registry.find({ text: "zip things" }))).toEqual(["zip", "unzip_all"]);
    expect(names(registry.find({ text: "things zip" }))).toEqual(["zip", "unzip_all"]);
    expect(names(registry.find({ text: "zip network" }))).toEqual(["last"]);
    expect(registry.find({ text: "zip nowhere" })).toEqual([]);
    expect(registry.find({ text: "nowhere zip" })).toEqual([]);
  });
});

describe("a list of tools", () => {
  it("leaves out what another one replaces, as long as that can be used", async () => {
    const registry = new ToolRegistry();
    registry.register(makeNamed("old"));
    registry.register(makeNamed("older"));
    expect(names(registry.list())).toEqual(["old", "older"]);
    registry.register(makeNamed("new", { replaces: ["old"] }));
    expect(names(registry.list())).toEqual(["older", "new"]);
    registry.disable("new");
    expect(names(registry.list())).toEqual(["old", "older"]);
  });

  it("keeps what a provider's models were trained on, also where another provider's replaces it", () => {
    const native = { provider: "openai", definition: { type: "custom" } };
    const registry = new ToolRegistry();
    registry.register(makeNamed("edit", { replaces: ["patch", "plain"] }));
    registry.register(makeNamed("patch", { native } as never));
    registry.register(makeNamed("plain"));
    expect(names(registry.list())).toEqual(["edit", "patch"]);
  });
});

describe("a name that is refused", () => {
  it.each(["", " ", undefined, null])("is empty as %j, for a tool and for an alias of one", (name) => {
    expect(thrown(() => checkName(name, "name", "t"))).toMatchObject({
      code: "NAME_EMPTY",
      message: "A tool has an empty name.",
      hint: "Use 1 to 128 letters, digits, _ . : / or -.",
    });
    expect(thrown(() => checkName(name, "alias", "t"))).toMatchObject({
      code: "NAME_INVALID",
      message: 'Tool "t" has an empty alias.',
    });
  });
});

describe("examples that are refused", () => {
  it.each<[unknown]>([
    [[null]],
    [[7]],
    [["text"]],
    [[{}]],
    [[{ arguments: null }]],
    [[{ arguments: 7 }]],
    [{}],
  ])("are %j", (examples) => {
    const refused = thrown(() => new ToolRegistry().register(makeNamed("t", { examples } as never)));
    expect(refused.message).toContain("examples that are not an array of { arguments: {…} }");
  });
});
