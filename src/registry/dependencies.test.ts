import { describe, expect, it } from "vitest";
import { ToolDefinitionError, ToolUnavailableError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import { makeNamed as make, thrown, versionOf, view } from "./registry.fixture.js";
import { ToolRegistry } from "./tool-registry.js";

describe("registerMany", () => {
  it("orders by dependency and tells of each in that order", () => {
    const told: string[] = [];
    const registry = new ToolRegistry({
      emit: (name, payload) => void told.push(`${name} ${payload.toolName}`),
    });
    const tools = [
      make("a", { dependsOn: ["b", "c@^1"] }),
      make("b", { dependsOn: ["d"] }),
      make("c"),
      make("d"),
    ];
    expect(registry.registerMany(tools).map(({ name }) => name)).toEqual(["d", "b", "c", "a"]);
    expect(told).toEqual(["d", "b", "c", "a"].map((name) => `TOOL_REGISTERED ${name}`));
  });

  it("takes all or none", () => {
    const told: unknown[] = [];
    const registry = new ToolRegistry({ emit: (name) => void told.push(name) });
    registry.register(make("x", { version: "1.0.0" }));
    const bad: Tool[][] = [
      [make("a"), make("b"), make("A")],
      [make("a"), make("b", { dependsOn: ["nowhere"] })],
      [make("a"), make("b", { description: "" })],
      [make("x", { version: "2.0.0" }), make("a", { dependsOn: ["x@^3"] })],
    ];
    for (const batch of bad) expect(() => registry.registerMany(batch)).toThrow(ToolDefinitionError);
    expect(registry.list().map(({ name }) => name)).toEqual(["x"]);
    expect(versionOf(registry, "x")).toBe("1.0.0");
    expect(told).toEqual(["TOOL_REGISTERED"]);
  });

  it("prints the circle", () => {
    const registry = new ToolRegistry();
    const error = thrown(() =>
      registry.registerMany([
        make("z", { dependsOn: ["a"] }),
        make("a", { dependsOn: ["b"], aliases: ["first"] }),
        make("b", { dependsOn: ["c"] }),
        make("c", { dependsOn: ["first"] }),
      ]),
    );
    expect(error.code).toBe("DEPENDENCY_CYCLE");
    expect(error.message).toContain("a -> b -> c -> a");
  });

  it("sees a circle that a later version or a replacement would close", () => {
    const registry = new ToolRegistry();
    registry.register(make("a"));
    registry.register(make("b", { dependsOn: ["a"] }));
    const later = make("a", { version: "2.0.0", dependsOn: ["b"] });
    expect(thrown(() => registry.register(later)).message).toContain("a -> b -> a");
    expect(thrown(() => registry.replace(later)).code).toBe("DEPENDENCY_CYCLE");
    expect(versionOf(registry, "a")).toBe("1.0.0");
    const nicknamed = new ToolRegistry();
    nicknamed.register(make("a", { aliases: ["x", "y"] }));
    nicknamed.register(make("b", { dependsOn: ["x"] }));
    const closing = make("a", { aliases: ["x", "y"], dependsOn: ["b"] });
    expect(thrown(() => nicknamed.replace(closing)).code).toBe("DEPENDENCY_CYCLE");
    const pinned = new ToolRegistry();
    pinned.register(make("a"));
    pinned.register(make("b", { dependsOn: ["a@^1"] }));
    pinned.register(later);
    expect(versionOf(pinned, "a")).toBe("2.0.0");
  });

  it("takes 10,000 tools, a chain of dependencies among them, without delay or overflow", () => {
    const registry = new ToolRegistry();
    const chain = Array.from({ length: 10_000 }, (_, i) =>
      make(`t${i}`, { aliases: [`alias${i}`], ...(i > 0 && { dependsOn: [`t${i - 1}`] }) }),
    );
    registry.registerMany(chain.toReversed());
    expect(registry.resolve("t9999", view).name).toBe("t9999");
    const single = new ToolRegistry();
    for (const tool of chain) single.register(tool);
    expect(single.list()).toHaveLength(10_000);
    expect(thrown(() => registry.replace(make("t0", { dependsOn: ["t9999"] }))).code).toBe(
      "DEPENDENCY_CYCLE",
    );
    single.disable("t0", "test");
    expect(thrown(() => single.resolve("alias9999", view)).message).toContain('"t0"');
  });
});

describe("a tool's own check of what it calls", () => {
  const checked = (validateDependencies: NonNullable<Tool["validateDependencies"]>) =>
    make("caller", { dependsOn: ["a"], validateDependencies });

  it("gets the descriptions of the tools, by name", () => {
    const seen: unknown[] = [];
    const registry = new ToolRegistry();
    registry.registerMany([
      checked((describe) => (seen.push(describe("a")?.version, describe("nope")), [])),
      make("a", { version: "1.2.3" }),
    ]);
    expect(seen).toEqual(["1.2.3", undefined]);
  });

  it("keeps a tool out, a replacement too, that it finds fault with", () => {
    const registry = new ToolRegistry();
    registry.registerMany([make("a"), make("caller")]);
    const faulty = checked(() => ["a takes no path", "a returns no text"]);
    const message =
      'Tool "caller" does not match the tools that it calls: a takes no path; a returns no text.';
    expect(() => registry.replace(faulty)).toThrow(message);
    expect(registry.get("caller")).not.toHaveProperty("validateDependencies");
    const throws = checked(() => {
      throw new Error("oops");
    });
    const error = thrown(() => registry.registerMany([make("b"), { ...throws, name: "other" }]));
    expect(error.message).toBe('Tool "other" does not match the tools that it calls: oops.');
    expect(error.hint).toContain("tenon tools NAME");
    expect(registry.list().map(({ name }) => name)).toEqual(["a", "caller"]);
  });
});

describe("dependencies", () => {
  it("make a tool unavailable, directly or not, and say why", async () => {
    const registry = new ToolRegistry();
    registry.registerMany([make("a"), make("b", { dependsOn: ["a"] }), make("c", { dependsOn: ["b"] })]);
    registry.disable("a", "maintenance");
    const error = thrown(() => registry.resolve("c", view));
    expect(error).toBeInstanceOf(ToolUnavailableError);
    expect(error).toMatchObject({ code: "TOOL_DISABLED", retryable: false });
    expect(error.message).toMatch(/"c" is unavailable: it depends on "a", which is disabled: maintenance/);
    expect(registry.list()).toEqual([]);
    expect(await registry.health("c")).toMatchObject({ status: "unhealthy" });
    registry.enable("a");
    expect(registry.resolve("c", view).name).toBe("c");
    await registry.unregister("a");
    expect(thrown(() => registry.resolve("c", view)).message).toContain("not registered");
    registry.register(make("a"));
    expect(registry.resolve("c", view).name).toBe("c");
  });

  it("do not give away the name of a tool outside the toolset", async () => {
    const registry = new ToolRegistry({ toolsets: { mine: ["b"] } });
    registry.registerMany([make("hidden"), make("b", { dependsOn: ["hidden"] })]);
    registry.disable("hidden");
    const mine = { ...view, toolset: registry.toolset("mine") };
    expect(thrown(() => registry.resolve("b", mine)).message).toBe(
      'Tool "b" is unavailable: it depends on a tool, which is disabled.',
    );
    await registry.unregister("hidden");
    const messages = [mine, view].map((each) => thrown(() => registry.resolve("b", each)).message);
    expect(messages).toEqual([
      'Tool "b" is unavailable: it depends on a tool, which is not registered.',
      'Tool "b" is unavailable: it depends on "hidden", which is not registered.',
    ]);
  });
});
