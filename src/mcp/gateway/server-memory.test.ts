import { describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.js";
import type { UpstreamTool } from "../../contract/ports/upstream.js";
import { createServerMemory, type ServerRecord } from "./server-memory.js";

function open() {
  const values = new Map<string, Json>();
  const memory = createServerMemory(async () => ({
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => values.delete(key),
    list: async (prefix = "") => [...values.keys()].filter((key) => key.startsWith(prefix)),
  }));
  return { values, memory };
}

function tool(name: string, chars = 0): UpstreamTool {
  return { name, description: "x".repeat(chars), inputSchema: { type: "object" } };
}

function record(tools: readonly UpstreamTool[]): ServerRecord {
  const accepted = Object.fromEntries(tools.map((each) => [each.name, each]));
  return { target: "there", accepted, listed: tools.map(({ name }) => name), verdictAt: 7 };
}

describe("what is kept of servers", () => {
  it("is read back as it was written, each server apart", async () => {
    const { memory } = open();
    const [one, other] = [record([tool("a"), tool("b")]), record([])];
    await memory.save("one", one);
    await memory.save("other", other);
    expect(await memory.load("one")).toEqual(one);
    expect(await memory.load("other")).toEqual(other);
    expect(await memory.load("third")).toBeUndefined();
  });

  it("is written in pieces that the state can hold, none larger than it must be", async () => {
    const { memory, values } = open();
    const tools = Array.from({ length: 9 }, (_, at) => tool(`tool_${at}`, 300_000));
    await memory.save("one", record(tools));
    const sizes = [...values.values()].map((value) => JSON.stringify(value).length);
    expect(Math.max(...sizes)).toBeLessThan(1_100_000);
    expect(values.size).toBe(4);
    expect(await memory.load("one")).toEqual(record(tools));
    // A tool that is larger than a piece has one to itself.
    await memory.save("two", record([tool("a"), tool("large", 2_000_000), tool("b")]));
    expect(Object.keys((await memory.load("two"))?.accepted ?? {})).toEqual(["a", "large", "b"]);
  });

  it("is gone when the server is forgotten, and only of that one", async () => {
    const { memory, values } = open();
    await memory.save("one", record([tool("a")]));
    await memory.save("one-more", record([tool("a")]));
    await memory.forget("one");
    expect(await memory.load("one")).toBeUndefined();
    expect([...values.keys()].sort()).toEqual(["server/one-more", "tools/one-more/0"]);
  });

  it.each([
    null,
    "text",
    [],
    { target: 1, pieces: 0, listed: [] },
    { target: "a", pieces: 0 },
    { target: "a", listed: [] },
  ])("is nothing where the state holds %j", async (value) => {
    const { memory, values } = open();
    values.set("server/one", value);
    expect(await memory.load("one")).toBeUndefined();
  });
});
