import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import type { Tool } from "../contract/tool.js";
import { ToolRegistry } from "./tool-registry.js";

const make = (name: string, over: Partial<Tool> = {}): Tool =>
  defineTool({ name, description: "d", category: "data", input: z.object({}), execute: () => 1, ...over });

describe("the health of a whole registry", () => {
  it("names the first ten tools that are not well, and counts them all", async () => {
    const registry = new ToolRegistry();
    const ill = Array.from({ length: 12 }, (_, at) =>
      make(`ill_${at}`, { healthCheck: () => ({ healthy: false, message: `no ${at}` }) }),
    );
    registry.registerMany([make("well"), make("off"), ...ill]);
    registry.disable("off");
    const { status, message, details } = await registry.health();
    expect(status).toBe("unhealthy");
    expect(message).toMatch(/^12 of 13 .*: ill_0, .*ill_9\.$/);
    expect(details).toMatchObject({ total: 14, healthy: 1, disabled: 1 });
    expect(Object.keys(details?.["tools"] as object)).toHaveLength(12);
  });

  it("asks no tool that somebody disabled, and eight at a time", async () => {
    const registry = new ToolRegistry();
    let [asked, running, most] = [0, 0, 0];
    const healthCheck = async () => {
      asked += 1;
      most = Math.max(most, (running += 1));
      await new Promise(setImmediate);
      running -= 1;
      return { healthy: true };
    };
    registry.registerMany(Array.from({ length: 20 }, (_, at) => make(`t_${at}`, { healthCheck })));
    registry.disable("t_0");
    expect((await registry.health()).status).toBe("healthy");
    expect([asked, most]).toEqual([19, 8]);
    expect(await registry.health("t_0")).toMatchObject({ status: "unhealthy" });
    expect(asked).toBe(19);
  });

  it("counts a tool as ill whose dependency is disabled", async () => {
    const registry = new ToolRegistry();
    registry.registerMany([make("base"), make("top", { dependsOn: ["base"] })]);
    expect(await registry.health("top")).toMatchObject({ status: "healthy" });
    registry.disable("base");
    const { status, message } = await registry.health("top");
    expect(status).toBe("unhealthy");
    expect(message).toContain("base");
  });
});
