import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import type { Tool } from "../contract/tool.js";
import { ToolRegistry } from "./tool-registry.js";

const names = ["first", "second", "third"];

/** A registry of three tools that notes which of them were made, and what it told. */
function createWaiting({
  isHeard = false,
  members = {},
}: { isHeard?: boolean; members?: Record<string, Partial<Tool>> } = {}) {
  const made: string[] = [];
  const told: string[] = [];
  const registry = new ToolRegistry({
    isHeard: () => isHeard,
    emit: (event, payload) => void (isHeard && told.push(`${event} ${payload.toolName}`)),
  });
  const make = (name: string) => (): Tool => {
    made.push(name);
    return defineTool({
      name,
      description: "A tool.",
      category: "custom",
      input: z.object({}),
      ...members[name],
      execute: () => "done",
    });
  };
  registry.registerOnUse(Object.fromEntries(names.map((name) => [name, make(name)])));
  return { registry, made, told };
}

describe("tools that are registered on use", () => {
  it("are made when they are asked for by name, and no others", () => {
    const { registry, made } = createWaiting();
    expect(made).toEqual([]);
    expect(registry.resolve("second", { sessionId: "s" }).name).toBe("second");
    expect(registry.get("second")).toBe(registry.get("second"));
    expect(made).toEqual(["second"]);
  });

  it("come with what they depend on", () => {
    const { registry, made } = createWaiting({ members: { third: { dependsOn: ["first"] } } });
    expect(registry.resolve("third", { sessionId: "s" }).dependsOn).toEqual(["first"]);
    expect(made).toEqual(["third", "first"]);
  });

  it("are listed in their order, whichever was used first", () => {
    const { registry, made } = createWaiting();
    registry.get("third");
    expect(registry.list().map(({ name }) => name)).toEqual(names);
    expect(made).toEqual(["third", "first", "second"]);
  });

  it("are found by an alias and by name@range", () => {
    const members = { second: { aliases: ["other"], version: "2.1.0" } };
    expect(createWaiting({ members }).registry.get("other")?.name).toBe("second");
    expect(createWaiting({ members }).registry.get("second@^2")?.name).toBe("second");
    expect(createWaiting({ members }).registry.has("fourth")).toBe(false);
  });

  it("keep their names", () => {
    const { registry } = createWaiting();
    const input = z.object({});
    const taken = { name: "First", description: "Another.", category: "custom", input, execute: () => 1 };
    expect(() => registry.register(taken)).toThrow(expect.objectContaining({ code: "NAME_TAKEN" }));
    expect(registry.replace({ ...taken, name: "first" }).tool.description).toBe("Another.");
    expect(registry.list().map(({ name }) => name)).toEqual(names);
  });

  it("can be disabled and unregistered before they are used", async () => {
    const { registry } = createWaiting();
    registry.disable("first", "not now");
    expect(await registry.unregister("second")).toBe(true);
    expect(registry.list().map(({ name }) => name)).toEqual(["third"]);
    expect(registry.has("second")).toBe(false);
    expect(registry.list({ includeDisabled: true })).toHaveLength(2);
  });

  it("are made at once if somebody hears of it, and then leave one by one", async () => {
    const { registry, made, told } = createWaiting({ isHeard: true });
    expect(made).toEqual(names);
    expect(told).toEqual(names.map((name) => `TOOL_REGISTERED ${name}`));
    await registry.close();
    const left = told.filter((line) => line.startsWith("TOOL_UNREGISTERED"));
    expect(left).toEqual(names.toReversed().map((name) => `TOOL_UNREGISTERED ${name}`));
  });

  it("are not made to be closed, and are then unregistered like all others", async () => {
    const { registry, made } = createWaiting();
    registry.get("second");
    await registry.close();
    expect(made).toEqual(["second"]);
    expect(registry.list()).toEqual([]);
    expect(names.map((name) => registry.state(name))).toEqual(names.map(() => "Unregistered"));
    expect(() => registry.state("fourth")).toThrow('"fourth"');
  });

  it("can be asked for again where making one failed", () => {
    const registry = new ToolRegistry({ isHeard: () => false });
    let attempts = 0;
    const tool = defineTool({
      name: "late",
      description: "A tool.",
      category: "custom",
      input: z.object({}),
      execute: () => "done",
    });
    registry.registerOnUse({
      late: () => {
        if (attempts++ === 0) throw new Error("The file of the tool cannot be read.");
        return tool;
      },
    });
    expect(() => registry.get("late")).toThrow("cannot be read");
    expect(registry.get("late")).toBe(tool);
  });
});
