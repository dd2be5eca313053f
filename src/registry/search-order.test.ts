import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { randomCases } from "../../test/setup/random-cases.js";
import { defineTool } from "../contract/define-tool.js";
import { ToolDefinitionError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import { createQuotas, type QuotaRule } from "./quotas.js";
import { makeNamed } from "./registry.fixture.js";
import { ToolRegistry } from "./tool-registry.js";
import { ToolSearch } from "./tool-search.js";
import { compileToolset, withNative } from "./toolsets.js";

const vocabulary = ["read", "write", "file", "web", "page", "note", "text"];
const weights = { name: 6, alias: 4, category: 2, description: 1, parameter: 1 };

interface Sketch {
  readonly name: string;
  readonly alias: string;
  readonly description: readonly string[];
  readonly parameter: string;
}

function toTool({ name, alias, description, parameter }: Sketch): Tool {
  return defineTool({
    name,
    description: `The ${description.join(" ")}.`,
    category: "data",
    aliases: alias === name ? [] : [alias],
    input: z.object({ [parameter]: z.string().optional() }),
    execute: () => 1,
  });
}

/** How well a tool fits words, as the words of the guide say it: the best place of each word, rarer words more. */
function plainScore(wanted: readonly string[], all: readonly Sketch[], own: Sketch): number {
  const wordsOf = ({ name, alias, description, parameter }: Sketch) => {
    const words = new Map<string, number>();
    const add = (text: string, weight: number) => {
      for (const word of text.split("_")) words.set(word, Math.max(weight, words.get(word) ?? 0));
    };
    add(name, weights.name);
    if (alias !== name) add(alias, weights.alias);
    add("data", weights.category);
    for (const word of ["the", ...description]) add(word, weights.description);
    add(parameter, weights.parameter);
    return words;
  };
  const indexed = all.map(wordsOf);
  const ownWords = wordsOf(own);
  return wanted.reduce((sum, word) => {
    const scores = [...ownWords].flatMap(([candidate, weight]) => {
      if (candidate !== word && (word.length < 3 || !candidate.startsWith(word))) return [];
      const hits = indexed.filter((words) => words.has(candidate)).length;
      return [weight * Math.log(1 + all.length / hits) * (candidate === word ? 1 : 0.5)];
    });
    return scores.length === 0 ? sum : sum + Math.max(...scores) + 4;
  }, 0);
}

function searchOf(registry: ToolRegistry): ToolSearch {
  return new ToolSearch({
    generation: 1,
    entries: () => registry.list().map(({ name }) => registry.entry(name)!),
  });
}

describe("a search for tools", () => {
  const word = fc.constantFrom(...vocabulary);
  const sketch = fc.record({
    name: fc.tuple(word, word, fc.constantFrom("x", "y", "z")).map((parts) => parts.join("_")),
    alias: fc.tuple(word, fc.constantFrom("p", "q", "r", "s")).map((parts) => parts.join("_")),
    description: fc.array(word, { maxLength: 3 }),
    parameter: word,
  });

  it("puts first what fits most and rarest words best, as a plain count does", () => {
    const sketches = fc.uniqueArray(sketch, { minLength: 2, maxLength: 8, selector: ({ name }) => name });
    const asked = fc.uniqueArray(fc.constantFrom(...vocabulary, "wri", "no", "fil", "te"), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(sketches, asked, fc.integer({ min: 1, max: 9 }), (given, wanted, limit) => {
        const taken = new Set<string>();
        const all = given.filter(({ name, alias }) => {
          const isNew = !taken.has(name) && !taken.has(alias);
          taken.add(name).add(alias);
          return isNew;
        });
        const registry = new ToolRegistry();
        registry.registerMany(all.map(toTool));
        const search = searchOf(registry);
        const expected = all
          .map((own) => ({ name: own.name, score: plainScore(wanted, all, own) }))
          .filter(({ score }) => score > 0)
          .sort((one, other) =>
            Math.abs(other.score - one.score) > 1e-9
              ? other.score - one.score
              : one.name < other.name
                ? -1
                : 1,
          );
        const found = search.search(wanted.join(" "), { limit, visible: () => true });
        expect(found.total).toBe(expected.length);
        expect(found.tools.map(({ name }) => name)).toEqual(expected.slice(0, limit).map(({ name }) => name));
      }),
      { numRuns: randomCases(150) },
    );
  });

  it("puts tools that fit equally well in the order of their names, whatever the order of the words", () => {
    const sketches = [
      { name: "read_file_x", alias: "read_p", description: ["web"], parameter: "read" },
      { name: "read_web_x", alias: "page_p", description: [], parameter: "file" },
      { name: "read_read_y", alias: "write_p", description: ["web", "file"], parameter: "read" },
      { name: "read_read_x", alias: "file_p", description: [], parameter: "read" },
      { name: "read_web_z", alias: "read_q", description: [], parameter: "read" },
    ];
    const registry = new ToolRegistry();
    registry.registerMany(sketches.map(toTool));
    const search = searchOf(registry);
    for (const words of ["file web", "web file"])
      expect(search.search(words, { limit: 1, visible: () => true }).tools[0]?.name).toBe("read_file_x");
  });

  it("shows a short description and fifty parameters, required ones first", () => {
    const registry = new ToolRegistry();
    const fields = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`p${at}`, at === 59 ? z.string() : z.string().optional()]),
    );
    registry.register(makeNamed("long", { description: "d".repeat(301), input: z.object(fields) }));
    registry.register(makeNamed("short", { description: "d".repeat(300) }));
    const search = searchOf(registry);
    const { tools } = search.search("", { limit: 10, visible: () => true });
    expect(tools).toEqual([
      {
        name: "long",
        description: `${"d".repeat(299)}…`,
        category: "data",
        parameters: ["p59", ...Array.from({ length: 49 }, (_, at) => `p${at}`)],
      },
      { name: "short", description: "d".repeat(300), category: "data", parameters: [] },
    ]);
  });
});

describe("quotas", () => {
  const call = { toolName: "web_get", agent: "main", sessionId: "s1" };

  it.each<[object, string]>([
    [{}, "sets no limit"],
    [{ perMinute: -1 }, "has a limit that is not a whole number of at least 0"],
    [{ perMinute: 1.5 }, "has a limit that is not a whole number of at least 0"],
    [{ perHour: 1, perDay: Number.NaN }, "has a limit that is not a whole number of at least 0"],
    [{ perMinute: 1, tool: "" }, "has an empty glob"],
    [{ perMinute: 1, endpoint: 7 }, "has an empty glob"],
  ])("refuse %j", (rule, fault) => {
    expect(() => createQuotas([rule as QuotaRule], { now: () => 0 })).toThrow(`A quota ${fault}.`);
  });

  it("are counted apart for what their rule names, and together for what it does not", () => {
    const firstRefused = (rule: QuotaRule, change: object) => {
      const quotas = createQuotas([rule], { now: () => 0 });
      quotas.take({ ...call, userId: "u", endpoint: "e", taskId: "t" });
      try {
        quotas.take({ ...call, userId: "u", endpoint: "e", taskId: "t", ...change });
        return false;
      } catch {
        return true;
      }
    };
    const changes = {
      tool: { toolName: "web_put" },
      agent: { agent: "other" },
      user: { userId: "v" },
      endpoint: { endpoint: "f" },
    };
    for (const [named, change] of Object.entries(changes)) {
      expect(firstRefused({ perHour: 1 }, change)).toBe(true);
      expect(firstRefused({ perHour: 1, [named]: "*" }, change)).toBe(false);
      expect(firstRefused({ perHour: 1, [named]: "*" }, {})).toBe(true);
    }
    expect(firstRefused({ perHour: 1 }, { sessionId: "s2", taskId: "t2" })).toBe(true);
    expect(firstRefused({ perTask: 1 }, { sessionId: "s2" })).toBe(true);
    expect(firstRefused({ perTask: 1 }, { taskId: "t2" })).toBe(false);
    expect(firstRefused({ perSession: 1 }, { sessionId: "s2" })).toBe(false);
    expect(firstRefused({ perSession: 1 }, { taskId: "t2" })).toBe(true);
  });

  it("name the limit of which least is left", () => {
    const quotas = createQuotas([{ perMinute: 5 }, { perHour: 3 }, { perDay: 4, tool: "web_*" }], {
      now: () => 0,
    });
    expect(quotas.tightest({})).toMatchObject({ limit: 3, used: 0 });
    for (let at = 0; at < 2; at++) quotas.take(call);
    expect(quotas.tightest({})).toMatchObject({ limit: 3, used: 2 });
    expect(quotas.tightest({ toolName: "web_get" })).toMatchObject({ limit: 3, used: 2 });
    const only = (rule: QuotaRule) => createQuotas([rule], { now: () => 0 }).tightest({});
    for (const span of ["Minute", "Hour", "Day"])
      expect(only({ [`per${span}`]: 7 })).toEqual({ per: span.toLowerCase(), limit: 7, used: 0 });
    for (const rule of [{ perTask: 1 }, { perSession: 1 }, { perDay: 1, agent: "a" }])
      expect(only(rule)).toBeUndefined();
  });
});

describe("a toolset", () => {
  it.each<[string, unknown, string]>([
    ["", [], "has no name"],
    ["  ", [], "has no name"],
    ["a", "read_*", "is not an array"],
    ["a", [7], "has a rule that is neither a text nor an object"],
    ["a", [null], "has a rule that is neither a text nor an object"],
    ["a", [{}], "has an empty rule"],
    ["a", [{ first: 1, second: 2 }], 'has a rule with the unknown key "first"'],
    ["a", [{ category: "nothing" }], 'names the category "nothing"'],
    ["a", [{ readOnly: false }], "has a readOnly that is not true"],
    ["a", [{ name: 7 }], "has a name that is not a string"],
    ["a", ["a b"], 'has the unusable pattern "a b"'],
    ["a", ["!"], 'has the unusable pattern "!"'],
    ["a", ["x".repeat(257)], "has a pattern of more than 256 characters"],
    ["a", [`!${"x".repeat(257)}`], "has a pattern of more than 256 characters"],
  ])("%j of %j is refused", (name, definition, fault) => {
    const compile = () => compileToolset(name, definition as never);
    expect(compile).toThrow(ToolDefinitionError);
    expect(compile).toThrow(`Toolset ${JSON.stringify(name)} ${fault}.`);
  });

  it("takes patterns of 256 characters", () => {
    expect(compileToolset("a", ["x".repeat(256), `!${"y".repeat(256)}`]).name).toBe("a");
  });

  it("has the native tools of some providers only where it is asked for them", () => {
    const registry = new ToolRegistry();
    const native = (provider: string) => ({ native: { provider } }) as unknown as Partial<Tool>;
    registry.registerMany([
      makeNamed("plain"),
      makeNamed("theirs", native("openai")),
      makeNamed("ours", native("anthropic")),
    ]);
    const names = (set: { has(entry: never): boolean }) =>
      ["plain", "theirs", "ours"].filter((name) => set.has(registry.entry(name) as never));
    expect(names(withNative(undefined, ["openai"]))).toEqual(["plain", "theirs"]);
    expect(withNative(undefined, []).name).toBe("all");
    const some = withNative(compileToolset("some", ["plain", "ours"]), ["openai", "anthropic"]);
    expect([some.name, names(some), names(some)]).toEqual(["some", ["plain", "ours"], ["plain", "ours"]]);
  });
});

describe("a tool's health", () => {
  it.each<[string, Partial<Tool>, object]>([
    ["no check", {}, { status: "healthy", message: "The tool has no health check, and nothing blocks it." }],
    [
      "a check that says nothing",
      { healthCheck: () => undefined as never },
      { status: "healthy", message: "Health check passed." },
    ],
    [
      "a check that says true",
      { healthCheck: () => true as never },
      { status: "healthy", message: "Health check passed." },
    ],
    [
      "a check that says false",
      { healthCheck: () => false as never },
      { status: "unhealthy", message: "Health check did not pass." },
    ],
    [
      "a check that says healthy",
      { healthCheck: () => ({ healthy: true }) },
      { status: "healthy", message: "Health check passed." },
    ],
    [
      "a check with a message and details",
      { healthCheck: () => ({ healthy: false, message: "no disk", details: { free: 0 } }) },
      { status: "unhealthy", message: "no disk", details: { free: 0, version: "1.0.0" } },
    ],
    [
      "a check that throws",
      { healthCheck: () => Promise.reject(new Error("broken")) },
      { status: "error", message: "Health check failed: broken" },
    ],
  ])("with %s", async (_, over, report) => {
    const registry = new ToolRegistry();
    registry.register(makeNamed("t", over));
    expect(await registry.health("t")).toMatchObject(report);
  });

  it("of one that is disabled is bad, and of one that is not there unknown", async () => {
    const registry = new ToolRegistry();
    registry.register(makeNamed("fetch"));
    registry.disable("fetch", "too slow");
    expect(await registry.health("fetch")).toMatchObject({
      status: "unhealthy",
      message: expect.stringContaining("too slow"),
    });
    expect(await registry.health("fetchh")).toMatchObject({
      status: "not_found",
      message: expect.stringContaining("fetch"),
    });
  });
});
