import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { ToolDefinitionError, ToolNotFoundError, ToolUnavailableError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import { ToolRegistry } from "./tool-registry.js";

const input = z.object({});
const view = { sessionId: "s" };

const make = (name: string, over: Partial<Tool> = {}): Tool =>
  defineTool({ name, description: `The ${name} tool.`, category: "data", input, execute: () => name, ...over });

function thrown(run: () => unknown): { code: string; message: string; hint?: string; name: string } {
  try {
    run();
  } catch (error) {
    return error as never;
  }
  return expect.unreachable("nothing was thrown");
}

const versionOf = (registry: ToolRegistry, spec: string, sessionId = "s"): string =>
  registry.resolve(spec, { sessionId }).version;

describe("names", () => {
  it("finds a tool by name and alias, whatever word the name is", () => {
    const registry = new ToolRegistry();
    for (const name of ["constructor", "toString", "valueOf", "hasOwnProperty", "prototype"]) {
      expect(registry.has(name)).toBe(false);
      expect(registry.get(name)).toBeUndefined();
      const tool = make(name, { aliases: [`${name}_alias`] });
      registry.register(tool);
      expect(registry.get(name)).toBe(tool);
      expect(registry.resolve(`${name}_alias`, view).tool).toBe(tool);
    }
    expect(registry.has("__proto__")).toBe(false);
    expect(thrown(() => registry.resolve("__proto__", view))).toBeInstanceOf(ToolNotFoundError);
    expect(registry.getStats().byCategory.data).toBe(5);
  });

  it.each([
    ["the same name", "read_file", "read_file"],
    ["another case", "read_file", "Read_File"],
    ["fullwidth letters", "read", "ｒｅａｄ"],
    ["a Kelvin sign", "key", "\u212aey"],
    ["a ligature", "file", "ﬁle"],
    ["sharp s", "strasse", "straße"],
    ["a long s", "save", "ſave"],
  ])("refuses %s, as a name and as an alias", (_, first, second) => {
    const registry = new ToolRegistry();
    registry.register(make(first));
    expect(thrown(() => registry.register(make(second))).code).toBe("NAME_TAKEN");
    expect(thrown(() => registry.register(make("other", { aliases: [second] }))).code).toBe("NAME_TAKEN");
    registry.register(make("third", { aliases: ["nick"] }));
    expect(thrown(() => registry.register(make("NICK"))).code).toBe("NAME_TAKEN");
    expect(registry.list()).toHaveLength(2);
  });

  it("frees the names of a tool that left", async () => {
    const registry = new ToolRegistry();
    registry.register(make("a", { aliases: ["b"] }));
    expect(await registry.unregister("a")).toBe(true);
    expect(await registry.unregister("a")).toBe(false);
    expect(registry.has("b")).toBe(false);
    registry.register(make("B"));
    expect(registry.state("a")).toBe("Unregistered");
  });

  it("suggests the nearest name and bounds what it repeats", () => {
    const registry = new ToolRegistry();
    registry.register(make("read_file", { aliases: ["file_read"] }));
    expect(thrown(() => registry.resolve("file_raed", view)).hint).toContain('"file_read"');
    const long = thrown(() => registry.resolve("x".repeat(10 ** 6), view));
    expect(long.message.length).toBeLessThan(300);
    for (const odd of [undefined, null, 7, {}, Symbol("s")]) {
      expect(thrown(() => registry.resolve(odd as never, view))).toBeInstanceOf(ToolNotFoundError);
    }
  });
});

describe("versions", () => {
  const registry = new ToolRegistry();
  for (const version of ["1.2.0", "2.0.0-beta.1", "1.10.0", "0.9.0", "1.9.3+build"]) {
    registry.register(make("t", { version, aliases: ["u"] }));
  }

  it.each([
    ["t", "1.10.0"],
    ["u", "1.10.0"],
    ["t@latest", "1.10.0"],
    ["t@^1.2", "1.10.0"],
    ["t@~1.2", "1.2.0"],
    ["t@1.9.3", "1.9.3+build"],
    ["t@<1", "0.9.0"],
    ["u@0.9.0", "0.9.0"],
    ["t@2.0.0-beta.1", "2.0.0-beta.1"],
    ["t@^2.0.0-alpha", "2.0.0-beta.1"],
    ["t@1 || 2", "1.10.0"],
  ])("%s is %s", (spec, version) => {
    expect(versionOf(registry, spec)).toBe(version);
    expect(versionOf(registry, spec)).toBe(version);
  });

  it.each(["t@^3", "t@3.0.0", "t@nonsense", "t@", `t@${"1".repeat(5000)}`])("%s is not found, with a hint", (spec) => {
    const error = thrown(() => registry.resolve(spec, view));
    expect(error).toBeInstanceOf(ToolNotFoundError);
    expect(error.hint).toContain("1.10.0, 1.9.3+build, 1.2.0, 0.9.0, 2.0.0-beta.1");
  });

  it("refuses the same version twice, build metadata aside", () => {
    expect(thrown(() => registry.register(make("t", { version: "1.2.0" }))).code).toBe("NAME_TAKEN");
    expect(thrown(() => registry.register(make("t", { version: "1.2.0+x" }))).code).toBe("NAME_TAKEN");
  });

  it("follows what comes and goes", async () => {
    const own = new ToolRegistry();
    own.register(make("t", { version: "1.0.0", aliases: ["old"] }));
    expect(versionOf(own, "t@^1")).toBe("1.0.0");
    own.register(make("t", { version: "1.1.0" }));
    expect(versionOf(own, "t@^1")).toBe("1.1.0");
    expect(versionOf(own, "old")).toBe("1.1.0");
    await own.unregister("t@1.1.0");
    expect(versionOf(own, "t@^1")).toBe("1.0.0");
    own.register(make("t", { version: "3.0.0-rc.1" }));
    expect(own.list()).toHaveLength(1);
    await own.unregister("t@1.0.0");
    expect(versionOf(own, "t")).toBe("3.0.0-rc.1");
    expect(own.has("old")).toBe(false);
  });
});

describe("registerMany", () => {
  it("orders by dependency and tells of each in that order", () => {
    const told: string[] = [];
    const registry = new ToolRegistry({ emit: (name, payload) => void told.push(`${name} ${payload.toolName}`) });
    const tools = [make("a", { dependsOn: ["b", "c@^1"] }), make("b", { dependsOn: ["d"] }), make("c"), make("d")];
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
    const started = performance.now();
    registry.registerMany(chain.toReversed());
    expect(registry.resolve("t9999", view).name).toBe("t9999");
    const single = new ToolRegistry();
    for (const tool of chain) single.register(tool);
    expect(single.list()).toHaveLength(10_000);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(thrown(() => registry.replace(make("t0", { dependsOn: ["t9999"] }))).code).toBe("DEPENDENCY_CYCLE");
    single.disable("t0", "test");
    expect(thrown(() => single.resolve("alias9999", view)).message).toContain('"t0"');
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

  it("do not give away the name of a tool outside the toolset", () => {
    const registry = new ToolRegistry({ toolsets: { mine: ["b"] } });
    registry.registerMany([make("hidden"), make("b", { dependsOn: ["hidden"] })]);
    registry.disable("hidden");
    const error = thrown(() => registry.resolve("b", { ...view, toolset: registry.toolset("mine") }));
    expect(JSON.stringify([error.message, error.hint])).not.toContain("hidden");
  });
});

describe("enable and disable", () => {
  it("refuse and allow calls, and take listings along", () => {
    const registry = new ToolRegistry();
    const generations = [registry.generation];
    const stop = registry.onChange(() => void generations.push(registry.generation));
    registry.onChange(() => {
      throw new Error("listener");
    });
    registry.registerMany([make("a"), make("b")]);
    registry.disable("a", "too loud");
    expect(thrown(() => registry.resolve("a", view)).message).toBe('Tool "a" is disabled: too loud.');
    expect(registry.state("a")).toBe("Disabled");
    expect(registry.list().map(({ name }) => name)).toEqual(["b"]);
    expect(registry.list({ includeDisabled: true })).toHaveLength(2);
    expect(registry.getStats().total).toBe(2);
    expect(registry.has("a")).toBe(true);
    registry.enable("a");
    expect(registry.state("a")).toBe("Ready");
    expect(registry.resolve("a", view).name).toBe("a");
    expect(generations).toEqual([0, 1, 2, 3]);
    stop();
    registry.disable("b");
    expect(generations).toHaveLength(4);
    expect(() => registry.disable("nope")).toThrow(ToolNotFoundError);
    expect(() => registry.enable("nope")).toThrow(ToolNotFoundError);
  });

  it("cover later versions of a whole name, and one version alone", () => {
    const registry = new ToolRegistry();
    registry.register(make("a"));
    registry.disable("a");
    registry.register(make("a", { version: "2.0.0" }));
    expect(() => registry.resolve("a@2", view)).toThrow(ToolUnavailableError);
    registry.enable("a");
    registry.disable("a@1.0.0");
    expect(versionOf(registry, "a")).toBe("2.0.0");
    expect(() => registry.resolve("a@1", view)).toThrow(ToolUnavailableError);
  });

  it("leave a tool off that is reloaded", () => {
    const registry = new ToolRegistry();
    registry.register(make("a"));
    registry.disable("a@1.0.0", "no");
    registry.replace(make("a", { version: "1.0.1" }));
    expect(thrown(() => registry.resolve("a", view)).message).toContain("no");
  });

  it("ask a tool's own isEnabled at every call", () => {
    let on = false;
    const registry = new ToolRegistry();
    registry.register({ ...make("a"), isEnabled: () => on });
    expect(thrown(() => registry.resolve("a", view)).code).toBe("TOOL_DISABLED");
    expect(registry.list()).toEqual([]);
    on = true;
    expect(registry.resolve("a", view).name).toBe("a");
    registry.register({
      ...make("b"),
      isEnabled: () => {
        throw new Error("oops");
      },
    });
    expect(thrown(() => registry.resolve("b", view)).message).toContain("oops");
  });
});

describe("experiments", () => {
  const registry = new ToolRegistry();
  registry.registerMany(["1.0.0", "2.0.0", "3.0.0"].map((version) => make("t", { version, aliases: ["u"] })));
  const share = (spec: string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 20_000; i++) {
      const version = versionOf(registry, spec, `session-${i}`);
      counts.set(version, (counts.get(version) ?? 0) + 1);
    }
    return counts;
  };

  it("split by weight, stable per session, also by alias", () => {
    registry.experiment("t", [
      { version: "1.0.0", weight: 3 },
      { version: "2.0.0", weight: 1 },
    ]);
    const counts = share("t");
    expect(counts.get("1.0.0")).toBeGreaterThan(14_500);
    expect(counts.get("1.0.0")).toBeLessThan(15_500);
    expect(counts.has("3.0.0")).toBe(false);
    for (let i = 0; i < 100; i++) {
      expect(versionOf(registry, "u", `session-${i}`)).toBe(versionOf(registry, "t", `session-${i}`));
    }
    expect(versionOf(registry, "t@3.0.0")).toBe("3.0.0");
    expect(versionOf(registry, "t@latest")).toBe("3.0.0");
  });

  it("end with null and outlive a version that leaves", async () => {
    registry.experiment("t", [
      { version: "1.0.0", weight: 1 },
      { version: "2.0.0", weight: 1 },
    ]);
    await registry.unregister("t@2.0.0");
    expect([...share("t").keys()]).toEqual(["1.0.0"]);
    registry.experiment("t", null);
    expect([...share("t").keys()]).toEqual(["3.0.0"]);
  });

  it.each([
    [[]],
    [[{ version: "1.0.0", weight: 0 }]],
    [[{ version: "1.0.0", weight: NaN }]],
    [[{ version: "1.0.0", weight: Infinity }]],
    [[{ version: "9.0.0", weight: 1 }]],
    [
      [
        { version: "1.0.0", weight: 1 },
        { version: "1.0.0", weight: 1 },
      ],
    ],
  ])("refuse %j", (variants) => {
    expect(() => registry.experiment("t", variants)).toThrow(ToolDefinitionError);
    expect(() => registry.experiment("nope", variants)).toThrow(ToolNotFoundError);
  });
});

describe("find, describe and getStats", () => {
  const calls = { constructor: { count: 2, failures: 1, avgDuration: 3 } };
  const registry = new ToolRegistry({ callStats: () => calls as never });
  registry.registerMany([
    make("read_file", { category: "file", annotations: { readOnly: true }, aliases: ["file_read"] }),
    make("write_file", { category: "file", annotations: { dangerous: true } }),
    make("fetch", { category: "network", description: "Read a page of the web.", output: z.string() }),
  ]);
  const names = (tools: Tool[]): string[] => tools.map(({ name }) => name);

  it("finds by text, category and annotations together, the best first", () => {
    expect(names(registry.find({ text: "READ" }))).toEqual(["read_file", "fetch"]);
    expect(names(registry.find({ text: "read page" }))).toEqual(["fetch"]);
    expect(names(registry.find({ text: "file", annotations: { dangerous: true } }))).toEqual(["write_file"]);
    expect(names(registry.find({ annotations: { readOnly: false } }))).toEqual(["write_file", "fetch"]);
    expect(names(registry.find({ text: "file", toolset: "readonly" }))).toEqual(["read_file"]);
    expect(registry.find({ text: "(a+)+$" })).toEqual([]);
    expect(registry.find()).toHaveLength(3);
    expect(names(registry.listByCategory("file"))).toEqual(["read_file", "write_file"]);
    expect(registry.find({ annotations: { constructor: true } as never })).toEqual([]);
  });

  it("describes a tool with its JSON Schemas", () => {
    expect(registry.describe("nope")).toBeUndefined();
    const described = registry.describe("fetch@1");
    expect(described).toMatchObject({ name: "fetch", version: "1.0.0", category: "network", aliases: [] });
    expect(described?.inputSchema["type"]).toBe("object");
    expect(described?.outputSchema?.["type"]).toBe("string");
    expect(registry.describe("read_file")).not.toHaveProperty("outputSchema");
  });

  it("counts tools and passes the numbers of calls on, safe from the prototype", () => {
    const { total, byCategory, callStats } = registry.getStats();
    expect({ total, file: byCategory.file, shell: byCategory.shell }).toEqual({ total: 3, file: 2, shell: 0 });
    expect(Object.keys(callStats)).toEqual(["constructor"]);
    expect(callStats["toString"]).toBeUndefined();
  });
});
