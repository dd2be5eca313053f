import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../../contract/define-tool.js";
import type { Json } from "../../contract/json.js";
import type { KeyValue } from "../../contract/ports/store.js";
import type { Tool } from "../../contract/tool.js";
import type { UpstreamTool } from "../../contract/ports/upstream.js";
import { view } from "../../registry/registry.fixture.js";
import { ToolRegistry } from "../../registry/tool-registry.js";
import { createFaultLog } from "./fault-log.js";
import { ServerCatalogue } from "./server-catalogue.js";
import { createServerMemory } from "./server-memory.js";

function keyValue(): KeyValue {
  const values = new Map<string, Json>();
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => values.delete(key),
    list: async (prefix = "") => [...values.keys()].filter((key) => key.startsWith(prefix)),
  };
}

/** Runs of one server over the same state: each has a registry and a catalogue of its own. */
function openRuns(store = keyValue()) {
  const memory = createServerMemory(async () => store);
  return (target = "here", registry = new ToolRegistry()) => {
    const faults = createFaultLog(
      () => 1,
      (text) => text,
    );
    const catalogue = new ServerCatalogue({
      server: "srv",
      target,
      registry: registry,
      memory,
      faults,
      wanted: (name) => name !== "unwanted",
      // The registry refuses a tool that depends on one which nobody has.
      wrap: ({ raw, shown }) => ({
        ...registered(`srv:${raw.name}`, shown.description),
        ...(raw.name === "dependent" && { dependsOn: ["missing"] }),
      }),
    });
    const callable = (): string[] => registry.list().map(({ name }) => name);
    return { catalogue, registry, faults, callable };
  };
}

function registered(name: string, description = ""): Tool {
  return defineTool({ name, description, category: "data", input: z.object({}), execute: () => name });
}

function tool(name: string, description = `The ${name} tool.`): UpstreamTool {
  return { name, description, inputSchema: { type: "object" } };
}

describe("ServerCatalogue", () => {
  it("registers what an earlier run accepted, without a listing", async () => {
    const open = openRuns();
    await open().catalogue.take([tool("a"), tool("b"), tool("unwanted")]);
    const { catalogue, callable } = open();
    expect(catalogue.isKnown).toBe(false);
    await catalogue.load();
    expect(catalogue.isKnown).toBe(true);
    expect(callable()).toEqual(["srv:a", "srv:b"]);
    expect(catalogue.check("a")).toBeUndefined();
    expect(() => catalogue.check("c")).toThrow(expect.objectContaining({ code: "SERVER_UNAVAILABLE" }));
  });

  it("offers what a server lists in either era, and knows in which one it was asked", async () => {
    const open = openRuns();
    const { catalogue, callable } = open();
    await catalogue.take([tool("a"), tool("old")], "legacy");
    expect([catalogue.isKnownTo({ era: "legacy" }), catalogue.isKnownTo({ era: "modern" })]).toEqual([
      true,
      false,
    ]);
    await catalogue.take([tool("a"), tool("new")], "modern");
    expect(callable().toSorted()).toEqual(["srv:a", "srv:new", "srv:old"]);
    expect(catalogue.isKnownTo({ era: "modern" })).toBe(true);
    // A listing again replaces the one in the same era; one that nobody follows any more is forgotten.
    await catalogue.take([tool("a")], "modern");
    expect(callable().toSorted()).toEqual(["srv:a", "srv:old"]);
    catalogue.keepListings(new Set(["modern"]));
    await catalogue.take([tool("a")], "modern");
    expect(callable().toSorted()).toEqual(["srv:a"]);
    const later = open();
    await later.catalogue.load();
    expect(later.catalogue.isKnownTo({ era: "modern" })).toBe(true);
    // Hosts that can be asked more may be offered more, in the older era too.
    await later.catalogue.take([tool("a")], "legacy");
    const able = { era: "legacy" as const, capabilities: { sampling: {} } };
    expect([later.catalogue.isKnownTo({ era: "legacy" }), later.catalogue.isKnownTo(able)]).toEqual([
      true,
      false,
    ]);
    await later.catalogue.take([tool("a"), tool("samples")], 'legacy {"sampling":{}}');
    expect(later.catalogue.isKnownTo(able)).toBe(true);
    expect(later.callable().toSorted()).toEqual(["srv:a", "srv:samples"]);
    // What speaks no newer revision has nothing more to list.
    await later.catalogue.keep({ verdict: { kind: "legacy" }, eras: ["legacy"] });
    expect(later.catalogue.isKnownTo({ era: "modern" })).toBe(true);
  });

  it("trusts nothing that was accepted at another address", async () => {
    const open = openRuns();
    await open("old address").catalogue.take([tool("a")]);
    const { catalogue, callable } = open("new address");
    await catalogue.load();
    expect(catalogue.isKnown).toBe(false);
    expect(callable()).toEqual([]);
    // The listing of the new one is the first of it: nothing to compare with.
    await catalogue.take([tool("a", "Another definition.")]);
    expect(catalogue.heldCount).toBe(0);
    expect(catalogue.view().tools).toMatchObject([{ name: "a", description: "Another definition." }]);
  });

  it("holds a changed definition back until a person accepts it, here or in another process", async () => {
    const open = openRuns();
    await open().catalogue.take([tool("a"), tool("b")]);
    const [here, elsewhere] = [open(), open()];
    for (const { catalogue, callable } of [here, elsewhere]) {
      await catalogue.load();
      await catalogue.take([tool("a", "Changed."), tool("b")]);
      expect(callable()).toEqual(["srv:b"]);
      expect(catalogue.usable().map(({ raw }) => raw.name)).toEqual(["b"]);
      expect(catalogue.view().held).toMatchObject([
        { tool: "a", diff: expect.stringContaining("+") as string },
      ]);
      await expect(catalogue.check("a")).rejects.toMatchObject({
        code: "DEFINITION_HELD",
        retryable: false,
      });
    }
    expect(await elsewhere.catalogue.accept()).toEqual(["a"]);
    expect(elsewhere.callable()).toEqual(["srv:a", "srv:b"]);
    expect(here.catalogue.heldCount).toBe(1);
    await expect(here.catalogue.check("a")).resolves.toBeUndefined();
    expect(here.catalogue.heldCount).toBe(0);
    expect(here.callable()).toEqual(["srv:a", "srv:b"]);
    expect(here.registry.get("srv:a")?.description).toBe("Changed.");
  });

  it("is not released by an acceptance of something else than what is offered", async () => {
    const open = openRuns();
    await open().catalogue.take([tool("a")]);
    const [here, elsewhere] = [open(), open()];
    await here.catalogue.load();
    await here.catalogue.take([tool("a", "Changed once.")]);
    await elsewhere.catalogue.load();
    await elsewhere.catalogue.take([tool("a", "Changed twice.")]);
    await elsewhere.catalogue.accept(["a"]);
    await expect(here.catalogue.check("a")).rejects.toMatchObject({ code: "DEFINITION_HELD" });
  });

  it("is not released by what another process accepted at another address", async () => {
    const open = openRuns();
    await open("here").catalogue.take([tool("a")]);
    const here = open("here");
    await here.catalogue.load();
    await here.catalogue.take([tool("a", "Changed.")]);
    await open("there").catalogue.take([tool("a", "Changed.")]);
    await expect(here.catalogue.check("a")).rejects.toMatchObject({ code: "DEFINITION_HELD" });
  });

  it("keeps a rejected definition out, also in the next run, until it changes again or is accepted", async () => {
    const open = openRuns();
    const { catalogue, callable } = open();
    await catalogue.take([tool("a"), tool("b")]);
    await catalogue.take([tool("a", "Other."), tool("b")]);
    await expect(catalogue.reject(["b"])).rejects.toThrow('"b"');
    expect(await catalogue.reject(["a"])).toEqual(["a"]);
    const isRejected = (run: ReturnType<typeof open>) =>
      run.catalogue.view().held.map(({ tool: name, rejected }) => [name, rejected ?? false]);
    const later = open();
    await later.catalogue.load();
    await later.catalogue.take([tool("a", "Other."), tool("b")]);
    expect(isRejected(later)).toEqual([["a", true]]);
    expect(later.callable()).toEqual(["srv:b"]);
    await expect(later.catalogue.check("a")).rejects.toMatchObject({
      message: expect.stringContaining("a person rejected the change") as string,
    });
    // Another change is another question.
    await later.catalogue.take([tool("a", "Yet another."), tool("b")]);
    expect(isRejected(later)).toEqual([["a", false]]);
    expect(await later.catalogue.accept(["a"])).toEqual(["a"]);
    expect(later.callable().toSorted()).toEqual(["srv:a", "srv:b"]);
    expect(callable()).toEqual(["srv:b"]);
  });

  it("accepts what is held only, by name", async () => {
    const open = openRuns();
    const { catalogue } = open();
    await catalogue.take([tool("a"), tool("b")]);
    await catalogue.take([tool("a", "Changed."), tool("b", "Changed.")]);
    await expect(catalogue.accept(["a", "nope"])).rejects.toThrow('"nope"');
    expect(catalogue.heldCount).toBe(2);
    expect(await catalogue.accept(["a"])).toEqual(["a"]);
    expect(catalogue.view()).toMatchObject({ tools: [{ name: "a" }], held: [{ tool: "b" }] });
  });

  it("takes names of an object's own methods for names like any other", async () => {
    const open = openRuns();
    const names = ["toString", "valueOf", "hasOwnProperty"];
    const { catalogue, callable } = open();
    await catalogue.take(names.map((name) => tool(name)));
    expect(catalogue.heldCount).toBe(0);
    expect(callable()).toEqual(names.map((name) => `srv:${name}`));
    const next = open();
    await next.catalogue.load();
    expect(next.callable()).toEqual(names.map((name) => `srv:${name}`));
  });

  it("is not shown as accepted by what every object has", async () => {
    const open = openRuns();
    await open().catalogue.take([tool("a")]);
    const { catalogue } = open();
    await catalogue.load();
    await catalogue.take([tool("a"), tool("toString")]);
    expect(catalogue.view()).toMatchObject({ tools: [{ name: "a" }, { name: "toString" }], held: [] });
  });

  it("refuses a tool whose name, or name on the wire, belongs to another tool", async () => {
    const open = openRuns();
    const registry = new ToolRegistry();
    registry.registerMany([registered("srv__taken", "Ours."), registered("srv:there", "Ours.")]);
    const { catalogue } = open("here", registry);
    await catalogue.take([tool("taken"), tool("there"), tool("free")]);
    expect(catalogue.view()).toMatchObject({
      tools: [{ name: "free" }],
      refused: [{ tool: "taken" }, { tool: "there" }],
    });
    expect(registry.get("srv__taken")?.description).toBe("Ours.");
    // A second listing does not take its own tools for somebody else's.
    await catalogue.take([tool("free")]);
    expect(catalogue.view()).toMatchObject({ tools: [{ name: "free" }], refused: [] });
  });

  it("takes a tool out that is no longer offered, and all of them when the server goes", async () => {
    const open = openRuns();
    const { catalogue, callable, registry } = open();
    await catalogue.take([tool("a"), tool("b"), tool("c")]);
    await catalogue.take([tool("a"), tool("c")]);
    expect(callable()).toEqual(["srv:a", "srv:c"]);
    expect(() => catalogue.check("b")).toThrow(expect.objectContaining({ code: "SERVER_UNAVAILABLE" }));
    await catalogue.clear();
    expect(registry.has("srv:a")).toBe(false);
    expect(catalogue.usable()).toEqual([]);
  });

  it("brings a tool back into use whose old definition is offered again", async () => {
    const { catalogue, callable } = openRuns()();
    await catalogue.take([tool("a")]);
    await catalogue.take([tool("a", "Changed.")]);
    expect(callable()).toEqual([]);
    await catalogue.take([tool("a")]);
    expect(callable()).toEqual(["srv:a"]);
    expect(catalogue.check("a")).toBeUndefined();
  });

  it("works on where the state cannot be written, and reports that", async () => {
    const store = keyValue();
    const { catalogue, callable, faults } = openRuns({
      ...store,
      set: async () => {
        throw new Error("disk full");
      },
    })();
    await catalogue.take([tool("a")]);
    expect(callable()).toEqual(["srv:a"]);
    expect(faults.faults()).toMatchObject([{ message: expect.stringContaining("disk full") as string }]);
  });

  it("writes the state only where something changed", async () => {
    const store = keyValue();
    let writes = 0;
    const set: KeyValue["set"] = (key, value) => ((writes += 1), store.set(key, value));
    const { catalogue } = openRuns({ ...store, set })();
    await catalogue.take([tool("a")]);
    const first = writes;
    await catalogue.take([tool("a")]);
    expect(writes).toBe(first);
    await catalogue.take([tool("a"), tool("b")]);
    expect(writes).toBeGreaterThan(first);
  });

  it("says in the list of tools why one cannot be called, before and after a person has rejected it", async () => {
    const { catalogue, registry } = openRuns()();
    await catalogue.take([tool("a")]);
    await catalogue.take([tool("a", "Changed.")]);
    expect(catalogue.view().held).toEqual([expect.not.objectContaining({ rejected: true })]);
    expect(() => registry.resolve("srv:a", view)).toThrow("its definition changed after it was accepted");
    await catalogue.reject();
    expect(catalogue.view().held).toMatchObject([{ tool: "a", rejected: true }]);
    expect(() => registry.resolve("srv:a", view)).toThrow("a person rejected the change");
    await expect(catalogue.check("a")).rejects.toThrow("a person rejected the change");
  });

  it("registers a definition that was held before any of that name was registered", async () => {
    const open = openRuns();
    const before = open();
    await before.catalogue.take([tool("a")]);
    await before.catalogue.take([]);
    const { catalogue, callable } = open();
    await catalogue.load();
    await catalogue.take([tool("a", "Changed.")]);
    expect(callable()).toEqual([]);
    expect(await catalogue.accept()).toEqual(["a"]);
    expect(callable()).toEqual(["srv:a"]);
  });

  it("goes on from what another process accepted, and holds what that one has forgotten", async () => {
    const open = openRuns();
    const here = open();
    await here.catalogue.take([tool("a"), tool("b")]);
    const elsewhere = open();
    await elsewhere.catalogue.load();
    for (const { catalogue } of [here, elsewhere])
      await catalogue.take([tool("a", "Changed."), tool("b", "Changed.")]);
    await elsewhere.catalogue.accept(["a"]);
    await here.catalogue.check("a");
    await here.catalogue.take([tool("a", "Changed."), tool("b", "Changed.")]);
    expect(here.catalogue.view().held.map((held) => held.tool)).toEqual(["b"]);
    await elsewhere.catalogue.keep({ accepted: {} });
    await expect(here.catalogue.check("b")).rejects.toMatchObject({ code: "DEFINITION_HELD" });
  });

  it("leaves a tool alone that is listed again as it was", async () => {
    const { catalogue, registry } = openRuns()();
    await catalogue.take([tool("a")]);
    const first = registry.get("srv:a");
    await catalogue.take([tool("a"), tool("b")]);
    expect(registry.get("srv:a")).toBe(first);
  });

  it("refuses what the registry refuses, and a name that one listing has twice", async () => {
    const { catalogue, callable } = openRuns()();
    await catalogue.take([tool("dependent"), tool("a"), tool("twice"), tool("twice", "Another one.")]);
    expect(callable()).toEqual(["srv:a", "srv:twice"]);
    expect(catalogue.view().refused).toEqual([
      { tool: "twice", reason: expect.stringMatching(/./) as string },
      { tool: "dependent", reason: expect.stringContaining("missing") as string },
    ]);
  });

  it("takes a host for one like those before where only newer ones were asked, and only then", async () => {
    const { catalogue } = openRuns()();
    const able = { era: "legacy" as const, capabilities: { sampling: {} } };
    await catalogue.take([tool("a")], "modern");
    expect(catalogue.isKnownTo(able)).toBe(true);
    await catalogue.take([tool("a")], "legacy");
    expect(catalogue.isKnownTo(able)).toBe(false);
  });
});
