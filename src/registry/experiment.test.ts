import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import { ToolDefinitionError, ToolNotFoundError } from "../contract/errors.js";
import type { Tool } from "../contract/tool.js";
import { ToolRegistry } from "./tool-registry.js";

const input = z.object({});

const make = (name: string, over: Partial<Tool> = {}): Tool =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    category: "data",
    input,
    execute: () => name,
    ...over,
  });

const versionOf = (registry: ToolRegistry, spec: string, sessionId = "s"): string =>
  registry.resolve(spec, { sessionId }).version;

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

  it("give a session the same version after an update of the program", () => {
    registry.experiment("t", [
      { version: "1.0.0", weight: 3 },
      { version: "2.0.0", weight: 1 },
    ]);
    const given = Array.from({ length: 40 }, (_, at) => versionOf(registry, "t", `session-${at}`)[0]).join(
      "",
    );
    expect(given).toBe("1121111111112211112211211112211112112121");
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
    [[{ version: "1.0.0", weight: -1 }]],
    [[{ version: "1.0.0", weight: 1, wait: 1 }]],
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
