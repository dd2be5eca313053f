import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HostChange } from "../../contract/host.js";
import type { Json } from "../../contract/json.js";
import type { KeyValue } from "../../contract/ports/store.js";
import type { UpstreamTool } from "../../contract/ports/upstream.js";
import { ToolRegistry } from "../../registry/tool-registry.js";
import { createGateway } from "./gateway.js";
import type { Gateway, GatewayOptions, ServerSettings } from "./gateway-types.js";
import { createServerMemory, type ServerMemory } from "./server-memory.js";
import { hostOf, scriptedServer, type Opened, type Script } from "./testing/scripted-server.js";

const roots = { roots: {} };
const signal = new AbortController().signal;
const week = 7 * 24 * 60 * 60_000;
let gateways: Gateway[] = [];

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  gateways = [];
  const left = vi.getTimerCount();
  vi.useRealTimers();
  expect(left).toBe(0);
});

function tool(name: string, description = `The ${name} tool.`): UpstreamTool {
  return { name, description, inputSchema: { type: "object" } };
}

function newMemory(): ServerMemory {
  const values = new Map<string, Json>();
  const store: KeyValue = {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => values.delete(key),
    list: async (prefix = "") => [...values.keys()].filter((key) => key.startsWith(prefix)),
  };
  return createServerMemory(async () => store);
}

/** A gateway to scripted servers by their names; what is kept between runs is in the memory. */
function openGateway(servers: Readonly<Record<string, Partial<Script>>>, memory = newMemory()) {
  const scripted = Object.fromEntries(
    Object.entries(servers).map(([name, script]) => [
      name,
      scriptedServer({ tools: [tool("echo")], ...script }),
    ]),
  );
  const registry = new ToolRegistry();
  const options: GatewayOptions = {
    registry,
    memory,
    now: Date.now,
    random: () => 0.5,
    hide: (text) => text,
    matches: (glob, name) => glob === name,
    open: (name, spec, how) => scripted[name]!.open(name, spec, how),
  };
  const gateway = createGateway(options);
  gateways.push(gateway);
  const settings = (more: Partial<ServerSettings> = {}): ServerSettings => ({
    spec: { kind: "program", command: "x", env: {} },
    ...more,
  });
  const view = (name: string) => gateway.servers().find((server) => server.name === name);
  const opened = (name: string): readonly Opened[] => scripted[name]!.opened;
  const script = (name: string): Script => scripted[name]!.script;
  const registered = () => registry.list().map(({ name }) => name);
  const changes: HostChange[] = [];
  gateway.resources.onChange?.((change) => changes.push(change));
  gateway.prompts.onChange?.((change) => changes.push(change));
  return { gateway, settings, view, opened, script, registered, changes, memory };
}

describe("a server of the gateway", () => {
  it("has a name that its tools can carry, and no other has, whatever its case", () => {
    const { gateway, settings } = openGateway({});
    for (const name of ["", "-a", "a:b", "a b", "a".repeat(65)])
      expect(() => gateway.add(name, settings())).toThrow(expect.objectContaining({ code: "NAME_INVALID" }));
    gateway.add("a".repeat(64), settings());
    gateway.add("One", settings());
    gateway.add("two.2_-", settings());
    expect(() => gateway.add("one", settings())).toThrow('another MCP server named "one"');
  });

  it("is found while it is there and enabled; else it is said which there are", async () => {
    const { gateway, settings } = openGateway({ a: {}, off: {} });
    const missing = (name: string) => gateway.listTools(name);
    await expect(missing("a")).rejects.toMatchObject({ hint: "No MCP server is configured." });
    gateway.add("a", settings());
    gateway.add("off", settings({ enabled: false }));
    await expect(missing("b")).rejects.toMatchObject({
      message: 'MCP server "b" not found.',
      hint: "There are: a, off.",
    });
    await expect(missing("off")).rejects.toMatchObject({
      message: expect.stringContaining("disabled") as string,
    });
    expect(gateway.servers().map(({ name, state }) => [name, state])).toEqual([
      ["a", "idle"],
      ["off", "disabled"],
    ]);
  });

  it("that cannot be connected by hand leaves nothing behind", async () => {
    const { gateway, registered, script, opened } = openGateway({ a: { failure: new Error("no program") } });
    const spec = { kind: "program", command: "x", env: {} } as const;
    await expect(gateway.connect("a", spec)).rejects.toThrow("no program");
    expect(gateway.servers()).toEqual([]);
    script("a").failure = undefined;
    expect(await gateway.connect("a", { spec })).toMatchObject({ state: "ready", tools: [{ name: "echo" }] });
    expect(registered()).toEqual(["a:echo"]);
    expect(await gateway.listTools("a")).toMatchObject([{ name: "echo" }]);
    expect(await gateway.callTool("a", "echo")).toMatchObject({ content: [{ text: "echo" }] });
    await gateway.disconnect("a");
    expect([gateway.servers(), registered(), opened("a").at(-1)?.isClosed]).toEqual([[], [], true]);
  });

  it("is started where its tools are not known, or where it is to be there before it is needed", async () => {
    const first = openGateway({ a: {}, b: {}, off: {} });
    const addAll = ({ gateway, settings }: typeof first) => {
      gateway.add("a", settings());
      gateway.add("b", settings({ lazy: false }));
      gateway.add("off", settings({ enabled: false }));
    };
    addAll(first);
    await first.gateway.load();
    first.gateway.start();
    await first.gateway.settle(1000);
    const countOf = ({ opened }: typeof first) => ["a", "b", "off"].map((name) => opened(name).length);
    expect(countOf(first)).toEqual([1, 1, 0]);
    const second = openGateway({ a: {}, b: {}, off: {} }, first.memory);
    addAll(second);
    await second.gateway.load();
    expect(second.registered()).toEqual(["a:echo", "b:echo"]);
    second.gateway.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(countOf(second)).toEqual([0, 1, 0]);
    // The host that comes first does not wait for what is known.
    await second.gateway.settle(1000);
    expect(countOf(second)).toEqual([0, 1, 0]);
    await second.gateway.tryAll(1000);
    expect(countOf(second)).toEqual([1, 1, 0]);
  });

  it("is not waited for longer than the host can wait", async () => {
    const { gateway, settings, script } = openGateway({ slow: {} });
    gateway.add("slow", settings());
    let list = (): void => {};
    const listed = new Promise<void>((resolve) => (list = resolve));
    script("slow").tools = () => listed.then(() => [tool("late")]);
    for (const wait of [() => gateway.settle(300), () => gateway.tryAll(300)]) {
      let isOver = false;
      void wait().then(() => (isOver = true));
      await vi.advanceTimersByTimeAsync(299);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(isOver).toBe(true);
    }
    list();
    await vi.advanceTimersByTimeAsync(0);
    expect(await gateway.listTools("slow")).toMatchObject([{ name: "late" }]);
  });

  it("is started for the kind of host that it was last used by, as its roots are a session's own", async () => {
    const first = openGateway({ able: {}, rooted: {}, modern: { speaks: ["modern"] } });
    const hosts = {
      able: hostOf("s", { sampling: {} }),
      rooted: hostOf("s", roots),
      modern: hostOf("s", roots, "modern"),
    };
    for (const [name, host] of Object.entries(hosts)) {
      first.gateway.add(name, first.settings({ lazy: false }));
      await first.gateway.callTool(name, "echo", {}, { context: host as never });
    }
    const later = openGateway({ able: {}, rooted: {}, modern: { speaks: ["modern"] } }, first.memory);
    for (const name of Object.keys(hosts)) later.gateway.add(name, later.settings({ lazy: false }));
    await later.gateway.load();
    later.gateway.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(Object.keys(hosts).map((name) => later.opened(name)[0]?.options.capabilities)).toEqual([
      { sampling: {} },
      undefined,
      roots,
    ]);
  });

  it("that speaks the older era is asked again after a week whether it still does", async () => {
    const first = openGateway({ a: {} });
    await first.gateway.connect("a", first.settings());
    const priorAfter = async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      const later = openGateway({ a: {} }, first.memory);
      await later.gateway.connect("a", later.settings());
      return later.opened("a")[0]?.options.prior;
    };
    expect(await priorAfter(week - 1)).toEqual({ kind: "legacy" });
    expect(await priorAfter(1)).toBeUndefined();
  });
});

describe("a name of a tool", () => {
  it("may be one of a server that has not listed its tools, or failed before it did", async () => {
    const { gateway, settings, script } = openGateway({ a: {}, off: {} });
    gateway.add("a", settings());
    gateway.add("off", settings({ enabled: false }));
    const asked = ["a:echo", "b:echo", "off:echo", "echo", ":echo"];
    const areLoading = () => asked.map((name) => gateway.isLoading(name));
    expect(areLoading()).toEqual([true, false, false, false, false]);
    expect(gateway.nameBehind("a__echo__x")).toBe("a:echo__x");
    expect(gateway.nameBehind("b__echo")).toBeUndefined();
    expect(gateway.nameBehind("off__echo")).toBeUndefined();
    expect(gateway.awaitTool("b:echo")).toBeUndefined();
    expect(gateway.awaitTool("echo")).toBeUndefined();
    await gateway.awaitTool("a:echo", hostOf("s"));
    expect(areLoading()).toEqual([false, false, false, false, false]);
    expect([gateway.awaitTool("a:echo"), gateway.nameBehind("a__echo")]).toEqual([undefined, undefined]);
    // What it does not offer while it cannot be asked may be new.
    script("a").failure = new Error("gone");
    await gateway.stop("a");
    await expect(gateway.restart("a")).rejects.toThrow("gone");
    expect([gateway.isLoading("a:echo"), gateway.isLoading("a:new")]).toEqual([false, true]);
    await expect(gateway.awaitTool("a:new")).rejects.toThrow("gone");
  });
});

describe("calls of a server", () => {
  it("wait for each other beyond as many as it takes at once", async () => {
    const ends: (() => void)[] = [];
    const { gateway, settings } = openGateway({
      a: {
        callTool: (name) =>
          new Promise((resolve) =>
            ends.push(() => resolve({ content: [{ type: "text", text: name }], isError: false })),
          ),
      },
    });
    gateway.add("a", settings({ maxConcurrent: 2 }));
    const calls = [1, 2, 3].map(() => gateway.callTool("a", "echo", {}, { signal }));
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toHaveLength(2);
    ends[0]?.();
    await calls[0];
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toHaveLength(3);
    for (const end of ends) end();
    expect(await Promise.all(calls)).toHaveLength(3);
  });

  it("beyond its limit a minute, or to tools that it does not offer, are refused", async () => {
    const { gateway, settings } = openGateway({ a: { tools: [tool("echo"), tool("hidden")] } });
    gateway.add("a", settings({ maxPerMinute: 1, exclude: ["hidden"] }));
    await expect(gateway.callTool("a", "hidden")).rejects.toMatchObject({ code: "SERVER_UNAVAILABLE" });
    await gateway.callTool("a", "echo");
    await expect(gateway.callTool("a", "echo")).rejects.toMatchObject({ code: "QUOTA_SPENT" });
  });

  it("that fail are told in Tenon's words", async () => {
    const { gateway, settings } = openGateway({ a: { callTool: () => Promise.reject(new Error("boom")) } });
    gateway.add("a", settings());
    await expect(gateway.callTool("a", "echo")).rejects.toMatchObject({
      name: "ToolExecutionError",
      message: expect.stringMatching(/"echo".*"a".*boom/) as string,
    });
  });
});

describe("changed tools of a server", () => {
  it("are listed again soon, once for many notices, and held until a person accepts them", async () => {
    const { gateway, settings, script, opened, registered, view } = openGateway({ a: {} });
    await gateway.connect("a", settings());
    script("a").tools = [tool("echo", "Changed."), tool("new")];
    const [{ options } = {} as Opened] = opened("a");
    options.onToolsChanged?.();
    await vi.advanceTimersByTimeAsync(199);
    options.onToolsChanged?.();
    expect(registered()).toEqual(["a:echo"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(registered()).toEqual(["a:new"]);
    expect(view("a")?.held).toMatchObject([{ tool: "echo" }]);
    // A further notice is another change.
    script("a").tools = [tool("echo", "Changed."), tool("newer")];
    options.onToolsChanged?.();
    await vi.advanceTimersByTimeAsync(200);
    expect(registered()).toEqual(["a:newer"]);
    expect(await gateway.reject("a")).toEqual(["echo"]);
    expect(await gateway.accept("a", ["echo"])).toEqual(["echo"]);
    expect(registered().toSorted()).toEqual(["a:echo", "a:newer"]);
    script("a").tools = () => Promise.reject(new Error("it will not say"));
    options.onToolsChanged?.();
    await vi.advanceTimersByTimeAsync(200);
    expect(view("a")?.fault).toContain("could not be listed again: it will not say");
    expect(registered().toSorted()).toEqual(["a:echo", "a:newer"]);
  });

  it("are not listed again once it is stopped", async () => {
    const { gateway, settings, script, opened, view } = openGateway({ a: {} });
    await gateway.connect("a", settings());
    opened("a")[0]?.options.onToolsChanged?.();
    script("a").tools = [];
    await gateway.stop("a");
    await vi.advanceTimersByTimeAsync(200);
    expect(view("a")).toMatchObject({ state: "stopped", tools: [{ name: "echo" }] });
  });
});

describe("a server that is replaced", () => {
  it("makes way for the new one when its calls are done, or after three seconds", async () => {
    let end = (): void => {};
    const running = new Promise<void>((resolve) => (end = resolve));
    const { gateway, settings, opened, registered, view } = openGateway({
      a: { callTool: async () => (await running, { content: [], isError: false }) },
    });
    await gateway.connect("a", settings());
    const call = gateway.callTool("a", "echo");
    await vi.advanceTimersByTimeAsync(0);
    const replaced = gateway.replace("a", settings({ lazy: false, exclude: ["echo"] }));
    expect(registered()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2999);
    expect(opened("a")).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await replaced;
    await vi.advanceTimersByTimeAsync(0);
    expect([opened("a").map(({ isClosed }) => isClosed), view("a")?.tools]).toEqual([[false, false], []]);
    end();
    expect(await call).toMatchObject({ isError: false });
    await vi.advanceTimersByTimeAsync(0);
    expect(opened("a").map(({ isClosed }) => isClosed)).toEqual([true, false]);
    // Without a call nothing is waited for, and one that is disabled is not started.
    await gateway.replace("a", settings({ enabled: false }));
    expect([opened("a").map(({ isClosed }) => isClosed), view("a")?.state]).toEqual([
      [true, true],
      "disabled",
    ]);
  });

  it("is closed after a minute, whatever its calls do", async () => {
    const { gateway, settings, opened } = openGateway({ a: { callTool: () => new Promise(() => {}) } });
    await gateway.connect("a", settings());
    const call = gateway.callTool("a", "echo");
    call.catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    await gateway.replace("a", undefined);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(opened("a")[0]?.isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(opened("a")[0]?.isClosed).toBe(true);
  });

  it("takes its resources and prompts along, which hosts are told", async () => {
    const offers = { resources: true, prompts: true };
    const { gateway, settings, changes } = openGateway({
      a: { offers },
      b: { offers: { prompts: true } },
      c: {},
    });
    for (const name of ["a", "b", "c"]) await gateway.connect(name, settings());
    expect(changes.splice(0)).toEqual([
      { kind: "resources", server: "a" },
      { kind: "prompts", server: "a" },
      { kind: "prompts", server: "b" },
    ]);
    for (const name of ["a", "b", "c", "d"]) await gateway.replace(name, undefined);
    expect(changes).toEqual([{ kind: "resources" }, { kind: "prompts" }, { kind: "prompts" }]);
    expect(gateway.servers()).toEqual([]);
  });
});

describe("a session's host", () => {
  it.each([
    ["2025", "legacy"],
    ["2026", "modern"],
  ] as const)("speaks the only era that the configuration allows: %s", async (era, kind) => {
    const { gateway, settings, opened } = openGateway({ a: { speaks: ["legacy", "modern"] } });
    gateway.add("a", settings({ era }));
    const hosts = [hostOf("one", {}, kind), hostOf("two", {}, "legacy"), hostOf("three", {}, "modern")];
    for (const host of hosts) await gateway.callTool("a", "echo", {}, { context: host as never });
    expect(opened("a").map(({ connection }) => connection.verdict.kind)).toEqual([kind]);
  });

  it("is listed what its kind is offered, once", async () => {
    const { gateway, settings, script, opened } = openGateway({ a: { speaks: ["legacy", "modern"] } });
    let listings = 0;
    script("a").tools = async () => ((listings += 1), [tool("echo")]);
    gateway.add("a", settings());
    const use = (host: ReturnType<typeof hostOf>) =>
      gateway.callTool("a", "echo", {}, { context: host as never });
    await use(hostOf("one", {}, "legacy"));
    expect(listings).toBe(1);
    await use(hostOf("two", { sampling: {} }, "legacy"));
    await use(hostOf("three", {}, "modern"));
    expect(listings).toBe(3);
    // A host of 2025 is served in its own era without asking the server first.
    expect(opened("a").map(({ options }) => options.prior?.kind)).toEqual(["legacy", "legacy", undefined]);
    // They are made again, for hosts of kinds that it has listed for.
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    await use(hostOf("two", { sampling: {} }, "legacy"));
    await use(hostOf("three", {}, "modern"));
    expect([listings, opened("a").length]).toEqual([3, 5]);
  });

  it("whose roots change has the servers told that know them, and no others", async () => {
    const { gateway, settings, opened } = openGateway({
      a: {},
      b: {},
      modern: { speaks: ["modern"] },
      idle: {},
    });
    for (const name of ["a", "b", "modern", "idle"]) gateway.add(name, settings());
    const use = (name: string, host: ReturnType<typeof hostOf>) =>
      gateway.callTool(name, "echo", {}, { context: host as never });
    const [one, plain] = [hostOf("one", roots), hostOf("two")];
    await use("a", one);
    await use("a", plain);
    await use("b", plain);
    await use("modern", hostOf("one", roots, "modern"));
    const told = () => ["a", "b", "modern"].flatMap((name) => opened(name).map((each) => each.told.length));
    gateway.rootsChanged("two");
    expect(told()).toEqual([0, 0, 0, 0]);
    gateway.rootsChanged("one");
    expect(told()).toEqual([1, 0, 0, 0]);
    expect(opened("a")[0]?.told).toEqual(["notifications/roots/list_changed"]);
    // Another host of the same kind: the connection is nobody's own any more.
    await use("a", hostOf("three", roots));
    gateway.rootsChanged("one");
    expect(told()).toEqual([1, 0, 0, 0]);
    await gateway.endSession("three");
    gateway.rootsChanged("one");
    expect(told()).toEqual([2, 0, 0, 0]);
  });

  it("whose session ends leaves instances that were its own to nobody", async () => {
    const { gateway, settings, opened } = openGateway({ a: {} });
    gateway.add("a", settings({ instances: "session" }));
    for (const id of ["one", "two"])
      await gateway.callTool("a", "echo", {}, { context: hostOf(id) as never });
    await gateway.endSession("two");
    expect(opened("a").map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });
});

describe("resources of a server", () => {
  it("that it does not list are a fault that its view shows", async () => {
    const list = (): never => {
      throw new Error("not now");
    };
    const { gateway, settings, view } = openGateway({ a: { offers: { resources: true }, list } });
    await gateway.connect("a", settings());
    expect(await gateway.resources.list({ signal } as never)).toEqual([]);
    expect(view("a")?.fault).toBe("resources/list failed: not now");
  });

  it("are watched for each host that asks, also on a connection that is made later", async () => {
    const { gateway, settings, opened, changes } = openGateway({ a: { offers: { resources: true } } });
    await gateway.connect("a", settings());
    changes.length = 0;
    const scope = { signal } as never;
    const stop = await gateway.resources.watch?.("a:1", scope);
    expect(opened("a")[0]?.watched).toEqual([["a:1"]]);
    const updated = { uri: "a:1", _meta: { x: 1 } };
    opened("a")[0]?.options.onNotice?.("notifications/resources/updated", updated, []);
    opened("a")[0]?.options.onNotice?.("notifications/resources/updated", { uri: 1 }, []);
    opened("a")[0]?.options.onNotice?.("notifications/resources/list_changed", {}, []);
    opened("a")[0]?.options.onNotice?.("notifications/prompts/list_changed", {}, []);
    expect(changes).toMatchObject([
      { kind: "resource", uri: "a:1", server: "a", params: { _meta: { x: 1 } } },
      { kind: "resources", server: "a" },
      { kind: "prompts", server: "a" },
    ]);
    await gateway.restart("a");
    expect(opened("a")[1]?.watched).toEqual([["a:1"]]);
    stop?.();
    expect(opened("a")[1]?.watched).toEqual([["a:1"], []]);
  });

  it("and prompts have their arguments completed by the server, within bounds", async () => {
    const asked: unknown[] = [];
    const completion = {
      values: ["a", 1, ...Array<string>(200).fill("b")],
      total: 202,
      hasMore: true,
      other: 1,
    };
    const offers = { resources: true, prompts: true, completions: true };
    const { gateway, settings, script } = openGateway({
      a: {
        offers,
        answer: (method, params) => (asked.push([method, params]), { completion, _meta: { x: 1 } }),
      },
    });
    await gateway.connect("a", settings());
    const scope = { signal } as never;
    const ask = { of: "a__p", argument: "city", value: "B", given: { land: "DE" } };
    expect(await gateway.prompts.complete?.(ask, scope)).toEqual({
      completion: { values: ["a", ...Array<string>(99).fill("b")], total: 202, hasMore: true, other: 1 },
      _meta: { x: 1 },
    });
    await gateway.resources.complete?.({ ...ask, of: "a:{x}", given: {} }, scope);
    expect(asked).toEqual([
      [
        "completion/complete",
        {
          argument: { name: "city", value: "B" },
          context: { arguments: { land: "DE" } },
          ref: { type: "ref/prompt", name: "p" },
        },
      ],
      [
        "completion/complete",
        { argument: { name: "city", value: "B" }, ref: { type: "ref/resource", uri: "a:{x}" } },
      ],
    ]);
    script("a").answer = () => ({ completion: { values: "none", total: "many", hasMore: 1 } });
    expect(await gateway.prompts.complete?.(ask, scope)).toEqual({ completion: { values: [] } });
    script("a").offers = { prompts: true };
    await gateway.restart("a");
    script("a").answer = () => ({ completion: { values: ["asked"] } });
    expect(await gateway.prompts.complete?.(ask, scope)).toEqual({ completion: { values: [] } });
  });
});

describe("log messages of a server", () => {
  it("reach a host that has called nothing yet", async () => {
    const { gateway, settings, opened } = openGateway({ a: {} });
    gateway.add("a", settings());
    const host = hostOf("one");
    const sent: unknown[] = [];
    Object.assign(host.client as object, { notify: (method: string) => sent.push(method) });
    await gateway.settle(1000, host);
    opened("a")[0]?.options.onNotice?.("notifications/message", {}, []);
    expect(sent).toEqual(["notifications/message"]);
  });

  it("reach the one host that they can be for, five hundred in a second", async () => {
    const { gateway, settings, opened, view } = openGateway({ a: {} });
    gateway.add("a", settings());
    vi.setSystemTime(10_000);
    const sent: unknown[] = [];
    const host = hostOf("one");
    Object.assign(host.client as object, {
      log: (...message: unknown[]) => sent.push(message),
      notify: (...message: unknown[]) => sent.push(message),
    });
    await gateway.callTool("a", "echo", {}, { context: host as never });
    const [{ options } = {} as Opened] = opened("a");
    const say = (method = "notifications/message", calls: object[] = []) =>
      options.onNotice?.(method, { data: 1 }, calls as never);
    say();
    say("notifications/elicitation/complete");
    say("notifications/other");
    expect(sent.splice(0)).toEqual([
      ["notifications/message", { data: 1 }],
      ["notifications/elicitation/complete", { data: 1 }],
    ]);
    for (let at = 2; at < 503; at++) say();
    expect(sent.splice(0)).toHaveLength(498);
    expect(view("a")?.faults).toMatchObject([
      { message: expect.stringContaining("more than 500") as string, count: 1 },
    ]);
    vi.setSystemTime(11_000);
    say();
    expect(sent.splice(0)).toEqual([
      ["warning", "3 log messages were dropped", "a"],
      ["notifications/message", { data: 1 }],
    ]);
    vi.setSystemTime(12_000);
    say();
    expect(sent.splice(0)).toHaveLength(1);
    // What belongs to calls of several sessions could reach the wrong one.
    const [mine, other] = [{ caller: host }, { caller: hostOf("two") }];
    say("notifications/message", [mine, other]);
    expect(sent).toEqual([]);
    say("notifications/message", [mine, mine]);
    expect(sent.splice(0)).toHaveLength(1);
    // While none runs, it is nobody's once another session has used the server.
    await gateway.callTool("a", "echo", {}, { context: other.caller as never });
    say();
    expect(sent).toEqual([]);
  });
});
