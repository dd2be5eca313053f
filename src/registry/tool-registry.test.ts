import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolNotFoundError, ToolUnavailableError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import { codeOf, makeNamed as make, thrown, versionOf, view } from "./registry.fixture.js";
import { misspeltTool } from "./misspelt-tool.js";
import { ToolRegistry } from "./tool-registry.js";

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

describe("classes", () => {
  it("register like values, with the members of every source", async () => {
    abstract class BaseTool {
      abstract readonly name: string;
      readonly description = "Greets.";
      readonly dangerous: boolean = false;
      validate(): boolean {
        return true;
      }
    }
    class Greet extends BaseTool {
      readonly name = "greet";
      readonly category = "custom";
      override readonly dangerous = true;
      readonly parameters = [{ name: "who", type: "string", required: true }] as const;
      #greeted = 0;
      async execute(args: { who: string }): Promise<string> {
        return `${args.who} ${++this.#greeted}`;
      }
      async checkPermissions(_input: unknown, _context: { level: number }): Promise<{ behavior: string }> {
        return { behavior: "allow" };
      }
    }
    const registry = new ToolRegistry();
    const entry = registry.register(new Greet());
    expect(await entry.tool.execute({ who: "you" }, {} as never)).toBe("you 1");
    expect(await entry.tool.execute({ who: "you" }, {} as never)).toBe("you 2");
    expect(entry.input.check({}).ok).toBe(false);
    expect(registry.describe("greet")?.annotations).toEqual({ dangerous: true });
    expect(await entry.tool.checkPermissions?.({}, {} as never)).toEqual({ behavior: "allow" });
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

  it("allow a whole name again, with versions that come after that", () => {
    const registry = new ToolRegistry();
    registry.register(make("a"));
    registry.disable("a", "too loud");
    registry.enable("a");
    registry.register(make("a", { version: "2.0.0" }));
    expect(versionOf(registry, "a")).toBe("2.0.0");
    expect(versionOf(registry, "a@1")).toBe("1.0.0");
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

  it("leave one version on that was enabled alone, also when it is reloaded", () => {
    const registry = new ToolRegistry();
    registry.registerMany([make("a"), make("a", { version: "2.0.0" })]);
    registry.disable("a");
    registry.enable("a@1.0.0");
    registry.replace(make("a", { version: "1.0.0+new" }));
    expect(versionOf(registry, "a@1")).toBe("1.0.0+new");
    expect(codeOf(() => registry.resolve("a@2", view))).toBe("TOOL_DISABLED");
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

describe("a misspelt name", () => {
  const registry = new ToolRegistry();
  registry.register(make("read_file", { aliases: ["peruse"] }));

  it.each([
    ["read_fiel", "read_file"],
    ["perus", "peruse"],
    ["read_file", undefined],
    ["Read", undefined],
    ["read_fil*", undefined],
    ["!read_fil", undefined],
    ["read_fil@1", undefined],
    ["something_else", undefined],
  ])("%s means %s", (name, meant) => {
    expect(misspeltTool(registry, name)).toBe(meant);
  });
});

describe("change notices", () => {
  it("come after whatever can change a listing, once each, when the change is visible", async () => {
    const registry = new ToolRegistry();
    const seen: string[] = [];
    registry.onChange(
      () =>
        void seen.push(
          registry
            .list()
            .map(({ name, version = "1.0.0" }) => `${name}@${version}`)
            .join(" "),
        ),
    );
    registry.register(make("a"));
    registry.registerMany([make("b"), make("c")]);
    registry.replace(make("a", { version: "1.0.1" }));
    registry.disable("b");
    registry.enable("b");
    registry.defineToolset("few", ["a"]);
    await registry.unregister("c");
    expect(await registry.unregister("nope")).toBe(false);
    await registry.close();
    expect(seen).toEqual([
      "a@1.0.0",
      "a@1.0.0 b@1.0.0 c@1.0.0",
      "a@1.0.1 b@1.0.0 c@1.0.0",
      "a@1.0.1 c@1.0.0",
      "a@1.0.1 b@1.0.0 c@1.0.0",
      "a@1.0.1 b@1.0.0 c@1.0.0",
      "a@1.0.1 b@1.0.0",
      "",
    ]);
    expect(registry.generation).toBe(seen.length);
  });

  it("come to a listener as often as it listens, and stop one at a time", () => {
    const registry = new ToolRegistry();
    let count = 0;
    const listener = (): void => void (count += 1);
    const [stop] = [registry.onChange(listener), registry.onChange(listener)];
    registry.register(make("a"));
    expect(count).toBe(2);
    stop();
    registry.register(make("b"));
    expect(count).toBe(3);
  });
});

describe("find, describe and getStats", () => {
  const calls = { constructor: { count: 2, failures: 1, avgDuration: 3 } };
  const registry = new ToolRegistry({ callStats: () => calls });
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

  it("weighs a whole name more than a part of one, and that more than the description", () => {
    const registry = new ToolRegistry();
    registry.registerMany([
      make("c", { description: "Time and again." }),
      make("time_zone", { description: "Zones." }),
      make("b", { description: "Clock.", aliases: ["TIME"] }),
      make("d", { description: "Time zone of c." }),
    ]);
    expect(names(registry.find({ text: " time " }))).toEqual(["b", "time_zone", "c", "d"]);
    expect(names(registry.find({ text: "time zone" }))).toEqual(["time_zone", "d"]);
    expect(registry.find({ text: "  " })).toHaveLength(4);
    expect(names(registry.find({ text: "data" }))).toEqual(["c", "time_zone", "b", "d"]);
  });

  it("refuses what is not part of a query or a filter", () => {
    expect(() => registry.find({ txt: "a" } as never)).toThrow(
      'Unknown option "txt" for a search for tools.',
    );
    expect(() => registry.list({ toolsets: "all" } as never)).toThrow('Unknown option "toolsets"');
    expect(() => new ToolRegistry({ toolset: {} } as never)).toThrow(
      'Unknown option "toolset" for ToolRegistry.',
    );
    expect(registry.find({ annotations: { readOnly: undefined } as never })).toHaveLength(3);
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
    expect({ total, file: byCategory.file, shell: byCategory.shell }).toEqual({
      total: 3,
      file: 2,
      shell: 0,
    });
    expect(Object.keys(callStats)).toEqual(["constructor"]);
    expect(callStats["toString"]).toBeUndefined();
  });
});
