import { describe, expect, it } from "vitest";
import * as z from "zod";
import { configSchema } from "./config-schema.js";
import { fillDefaults, shapeOf } from "./config-shape.js";

describe("the shape of a configuration", () => {
  it("survives JSON, in which the build keeps it", () => {
    const shape = shapeOf(configSchema());
    expect(JSON.parse(JSON.stringify(shape))).toEqual(shape);
    expect(Object.keys(shape.keys ?? {})).toContain("mode");
  });

  it("fills in what is missing on every level, and nothing else", () => {
    const shape = shapeOf(
      z.object({
        mode: z.string().default("ask"),
        agent: z.string().optional(),
        log: z.object({ days: z.number().default(90), results: z.boolean().optional() }).prefault({}),
        extra: z.object({ size: z.number().default(1) }).optional(),
      }),
    );
    expect(fillDefaults(shape, {})).toEqual({ mode: "ask", log: { days: 90 } });
    const given = { mode: "auto", agent: "a", log: { days: 1, results: false }, extra: {} };
    expect(fillDefaults(shape, given)).toEqual({ ...given, extra: { size: 1 } });
  });

  it("has maps that inherit no names", () => {
    const shape = shapeOf(z.object({ servers: z.record(z.string(), z.unknown()).default({}) }));
    const { servers } = fillDefaults(shape, {}) as { servers: Record<string, unknown> };
    expect(servers["constructor"]).toBeUndefined();
  });
});
