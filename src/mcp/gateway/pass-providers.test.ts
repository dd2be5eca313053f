import { describe, expect, it } from "vitest";
import type { HostChange } from "../../contract/host.js";
import type { GatewayServer } from "./gateway-server.js";
import { createPromptProvider } from "./pass-prompts.js";
import { createResourceProvider } from "./pass-resources.js";

const { signal } = new AbortController();
const scope = { signal } as never;

interface Given {
  readonly resources?: unknown;
  readonly templates?: unknown;
  readonly prompts?: unknown;
  readonly contents?: Readonly<Record<string, unknown>>;
  readonly prompt?: object;
  readonly offers?: { readonly resources: boolean; readonly prompts: boolean };
}

/** A server that answers with these lists; what is missing fails. */
function server(name: string, given: Given): GatewayServer & { faults: string[]; sent: unknown[] } {
  const { offers = { resources: true, prompts: true } } = given;
  const lists: Record<string, unknown> = {
    "resources/list": given.resources,
    "resources/templates/list": given.templates,
    "prompts/list": given.prompts,
  };
  const faults: string[] = [];
  const sent: unknown[] = [];
  const connection = {
    offers,
    list: async (method: string) => lists[method] ?? Promise.reject(new Error(`${method} is not known`)),
    send: async (method: string, params: { uri?: string }) => {
      sent.push(params);
      if (method === "prompts/get") return given.prompt;
      const contents = given.contents?.[params.uri ?? ""];
      return contents === undefined ? Promise.reject(new Error("no such resource")) : { contents };
    },
  };
  const link = { use: async () => connection };
  return {
    name,
    offers,
    link,
    links: { expect: () => {}, arrive: async () => connection },
    catalogue: { isKnown: true },
    meet: () => ({}),
    faults,
    sent,
    request: connection.send,
    noteFault: (fault: string) => faults.push(fault),
  } as never;
}

describe("resources of servers", () => {
  it("are listed as their servers describe them, the first of two that list the same", async () => {
    const item = {
      uri: "a:1",
      name: "One\u200b",
      title: "T",
      description: "D",
      mimeType: "text/plain",
      size: 3,
    };
    const more = { ...item, annotations: { priority: 1 }, _meta: { a: 1 } };
    const one = server("one", { resources: [item, null, { uri: "" }, { uri: "b\u200b" }, { name: "x" }] });
    const two = server("two", { resources: [more, { uri: "c:1", mimeType: 1, size: "3", _meta: null }] });
    const provider = createResourceProvider(() => [one, two], new Set());
    expect(await provider.list(scope)).toEqual([
      { ...item, name: "One" },
      { uri: "c:1", name: "c:1" },
    ]);
    const other = createResourceProvider(() => [two], new Set());
    expect((await other.list(scope))[0]).toMatchObject({ annotations: { priority: 1 }, _meta: { a: 1 } });
  });

  it("of one that fails to list cost only its own entries, and are a fault of it", async () => {
    const broken = server("broken", {});
    const good = server("good", { resources: [{ uri: "a:1" }], templates: [{ uriTemplate: "a:{x}" }] });
    const provider = createResourceProvider(() => [broken, good], new Set());
    expect(await provider.list(scope)).toMatchObject([{ uri: "a:1" }]);
    expect(broken.faults).toEqual([expect.stringContaining("resources/list is not known")]);
    expect(await provider.templates?.(scope)).toMatchObject([{ uriTemplate: "a:{x}" }]);
    expect(broken.faults).toHaveLength(1);
  });

  it("are read from the server that listed them, or whose template fits, else from any that has them", async () => {
    const content = (uri: string) => [{ uri, text: "t" }];
    const one = server("one", {
      resources: [],
      templates: [{ uriTemplate: "one:{x}" }, { uriTemplate: "{x}" }],
      contents: { "one:5": content("one:5"), "both:1": content("one") },
    });
    const two = server("two", {
      resources: [{ uri: "both:1" }],
      templates: [],
      contents: {
        "both:1": [{ uri: "two", blob: "AA==" }, { uri: "x" }, null, { text: "t" }],
        "two:9": content("two:9"),
        "one:5": content("wrong"),
      },
    });
    const provider = createResourceProvider(() => [one, two], new Set());
    // Never listed: any server that has it.
    expect(await provider.read("two:9", scope)).toEqual({ contents: content("two:9") });
    expect(await provider.read("nobody:1", scope)).toBeUndefined();
    await provider.list(scope);
    await provider.templates?.(scope);
    expect(await provider.read("both:1", scope)).toEqual({ contents: [{ uri: "two", blob: "AA==" }] });
    expect(await provider.read("one:5", scope)).toEqual({ contents: content("one:5") });
    await expect(provider.read("one:6", scope)).rejects.toThrow("no such resource");
  });

  it("are asked for only where a server offers any", async () => {
    const none = server("none", { resources: [{ uri: "a:1" }], offers: { resources: false, prompts: true } });
    expect(await createResourceProvider(() => [none], new Set()).list(scope)).toEqual([]);
  });
});

describe("prompts of servers", () => {
  it("are listed under the server's name, without what cannot be seen", async () => {
    const prompts = [
      {
        name: "p",
        title: "T\u200b",
        description: "D".repeat(5000),
        arguments: [
          { name: "a", description: "A\u202e", required: true },
          { name: 1 },
          null,
          { name: "b", required: "no" },
        ],
      },
      { name: "q", arguments: "none" },
      { name: "" },
      { name: "x\u200b" },
      null,
    ];
    const provider = createPromptProvider(() => [server("one", { prompts })], new Set());
    expect(await provider.list(scope)).toEqual([
      {
        name: "one__p",
        title: "T",
        description: "D".repeat(4096),
        arguments: [{ name: "a", description: "A", required: true }, { name: "b" }],
      },
      { name: "one__q" },
    ]);
  });

  it("of one that fails to list cost only its own entries, and are a fault of it", async () => {
    const [broken, good] = [server("broken", {}), server("good", { prompts: [{ name: "p" }] })];
    const provider = createPromptProvider(() => [broken, good], new Set());
    expect(await provider.list(scope)).toEqual([{ name: "good__p" }]);
    expect(broken.faults).toEqual([expect.stringContaining("prompts/list is not known")]);
  });

  it("are asked of their own server by their own name", async () => {
    const one = server("one", { prompt: { description: "D\u200b", messages: [{ role: "user" }] } });
    const two = server("two", { prompt: { description: 1, messages: "none" } });
    const off = server("off", { offers: { resources: true, prompts: false } });
    const provider = createPromptProvider(() => [one, two, off], new Set());
    expect(await provider.get("one__p__q", { a: "1" }, scope)).toEqual({
      description: "D\u200b",
      messages: [{ role: "user" }],
    });
    expect(one.sent).toEqual([{ name: "p__q", arguments: { a: "1" } }]);
    expect(await provider.get("two__p", {}, scope)).toEqual({ description: 1, messages: [] });
    expect(await provider.get("off__p", {}, scope)).toBeUndefined();
    expect(await provider.get("three__p", {}, scope)).toBeUndefined();
  });
});

describe("listeners", () => {
  it("hear of changes until they stop", () => {
    const listeners = new Set<(change: HostChange) => void>();
    const heard: unknown[] = [];
    const stop = createResourceProvider(() => [], listeners).onChange?.((change) => heard.push(change));
    createPromptProvider(() => [], listeners).onChange?.((change) => heard.push(change));
    const change = { kind: "resource", uri: "a:1" } as const;
    for (const listener of listeners) listener(change);
    expect(heard).toEqual([change, change]);
    stop?.();
    for (const listener of listeners) listener(change);
    expect(heard).toHaveLength(3);
  });
});
