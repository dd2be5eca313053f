import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../contract/define-tool.js";
import type { Tool, ToolCategory } from "../contract/tool.js";
import { ToolRegistry } from "./tool-registry.js";
import { ToolSearch } from "./tool-search.js";

const make = (name: string, description: string, over: Partial<Tool> = {}): Tool =>
  defineTool({ name, description, category: "data", input: z.object({}), execute: () => 1, ...over });

/** A search over these tools; it gives the names that are found. */
function open(...tools: Tool[]) {
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  let reads = 0;
  const search = new ToolSearch({
    get generation() {
      return registry.generation;
    },
    entries: () => {
      reads += 1;
      return registry.list().map(({ name }) => registry.entry(name)!);
    },
  });
  const find = (text: string, over: { limit?: number; category?: ToolCategory; hidden?: string } = {}) => {
    const { limit = 10, category, hidden } = over;
    const found = search.search(text, { limit, category, visible: ({ name }) => name !== hidden });
    return { names: found.tools.map(({ name }) => name), total: found.total };
  };
  return { registry, find, readsOf: () => reads };
}

const files = [
  make("read_file", "Read a file as text.", { category: "file" }),
  make("write_file", "Write a text to a file.", { category: "file", aliases: ["save"] }),
  make("deleteOldFiles", "Remove what nobody needs.", { category: "file" }),
  make("fetch", "Get a page of the web.", { input: z.object({ address: z.string() }) }),
  make("current_time", "Tell the time."),
];

describe("searching tools by words", () => {
  it.each([
    ["fetch", ["fetch"]],
    ["FETCH", ["fetch"]],
    ["save", ["write_file"]],
    ["address", ["fetch"]],
    ["web page", ["fetch"]],
    ["tim", ["current_time"]],
    ["ti", []],
    ["old", ["deleteOldFiles"]],
    ["needs", ["deleteOldFiles"]],
    ["nothing at all", []],
  ])("finds for %j: %j", (text, names) => {
    expect(open(...files).find(text).names).toEqual(names);
  });

  it("puts a name before a mention, several words before one, and an exact name first", () => {
    expect(open(make("a", "About time."), make("time", "Tells it.")).find("time").names).toEqual([
      "time",
      "a",
    ]);
    const { find } = open(...files);
    expect(find("write text").names[0]).toBe("write_file");
    expect(find("read file").names[0]).toBe("read_file");
    expect(find("read_file").names[0]).toBe("read_file");
    // A plural is its singular, in the question and in the tool.
    expect(find("files").total).toBe(3);
    expect(find("file").total).toBe(3);
  });

  it("gives the best of all up to the limit, counts the others, and orders equals by name", () => {
    const many = Array.from({ length: 20 }, (_, at) =>
      make(`tool_${String(19 - at).padStart(2, "0")}`, "Same."),
    );
    const { find } = open(...many);
    expect(find("same", { limit: 3 })).toEqual({ names: ["tool_00", "tool_01", "tool_02"], total: 20 });
    expect(find("", { limit: 2 })).toEqual({ names: ["tool_00", "tool_01"], total: 20 });
    expect(find(" !? ", { limit: 1 }).total).toBe(20);
    expect(find("tool_07", { limit: 1 }).names).toEqual(["tool_07"]);
  });

  it("shows only what is wanted", () => {
    const { find } = open(...files);
    expect(find("text", { category: "data" }).names).toEqual([]);
    expect(find("text", { category: "file" }).total).toBe(2);
    expect(find("text", { hidden: "read_file" }).names).toEqual(["write_file"]);
    expect(find("", { category: "data" }).names).toEqual(["current_time", "fetch"]);
  });

  it("reads the tools again when the registry changed, and only then", () => {
    const { registry, find, readsOf } = open(...files);
    find("file");
    find("time");
    expect(readsOf()).toBe(1);
    registry.register(make("zip", "Pack files."));
    expect(find("pack").names).toEqual(["zip"]);
    expect(readsOf()).toBe(2);
    registry.disable("zip");
    expect(find("pack").names).toEqual([]);
  });
});
