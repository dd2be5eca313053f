import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openHome, startServe, tenonProgram } from "./conformance/tenon-serve.js";
import { oddCase, type OddCase } from "./odd-messages.js";
import { isLongRun } from "./setup/random-cases.js";
import { HttpHost, StdioHost, type Fields, type RecordingHost } from "./recording-host.js";

const root = resolve(import.meta.dirname, "..");
const fixture = join(import.meta.dirname, "fixtures/chatty-server.mjs");
const prefix = "chatty__";

/** The differences that the guide names, by the fields in their first column. */
const guide = readFileSync(join(root, "docs/guide/mcp-servers.md"), "utf8");
const section = guide.slice(
  guide.indexOf("### Differences"),
  guide.indexOf("\n## ", guide.indexOf("### Differences")),
);
const allowed = new Set(
  [...section.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path),
  ),
);

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const kept = <Host extends RecordingHost>(host: Host): Host => {
  ending.push(() => host.close());
  return host;
};

const configFor = (chatty: object) => ({
  policy: { rules: [{ decision: "allow", tool: "chatty:*" }] },
  mcpServers: { chatty },
});

/** A host with and without Tenon between it and the server. */
interface Pair {
  readonly direct: RecordingHost;
  readonly via: RecordingHost;
}

/** A host that reaches the server through `tenon mcp`, all on standard streams. */
function throughMcp(era: string, capabilities: Fields): StdioHost {
  const home = openHome(configFor({ command: process.execPath, args: [fixture, era] }));
  ending.push(() => home.remove());
  const command = [process.execPath, tenonProgram, "mcp", ...home.args];
  return kept(new StdioHost(command, { capabilities, modern: era === "2026", env: home.env }));
}

const pairs = {
  "standard streams": async (era: string): Promise<Pair> => ({
    direct: kept(
      new StdioHost([process.execPath, fixture, era], { capabilities: everything, modern: era === "2026" }),
    ),
    via: throughMcp(era, everything),
  }),
  HTTP: async (era: string): Promise<Pair> => {
    const options = { capabilities: everything, modern: era === "2026" };
    const child = spawn(process.execPath, [fixture, era, "http"], { stdio: ["ignore", "pipe", "inherit"] });
    ending.push(() => child.kill("SIGKILL"));
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    const url = `http://127.0.0.1:${Number(port)}/mcp`;
    const serve = await startServe(configFor({ url }));
    ending.push(() => serve.close());
    return {
      direct: kept(new HttpHost(url, options)),
      via: kept(new HttpHost(serve.url, { ...options, token: serve.token })),
    };
  },
};

const subscriptionKey = "io.modelcontextprotocol/subscriptionId";

/** Every kind of request, and what the host was told and asked meanwhile. */
async function converse(host: RecordingHost, named: string, modern: boolean): Promise<Fields> {
  const said: Record<string, unknown> = {};
  const listed = async (method: string, key: string): Promise<void> => {
    const { result } = await host.ask(method, {});
    const items = (result as Record<string, Fields[]>)[key] ?? [];
    const own = items.filter(
      (item) => "uri" in item || "uriTemplate" in item || String(item["name"]).startsWith(named),
    );
    said[key] = own.filter(
      (item) => !((item["uri"] ?? item["uriTemplate"] ?? "") as string).startsWith("tenon:"),
    );
    said[key] = (said[key] as Fields[]).toSorted((one, other) =>
      String(one["name"]) < String(other["name"]) ? -1 : 1,
    );
  };
  await listed("tools/list", "tools");
  await listed("prompts/list", "prompts");
  await listed("resources/list", "resources");
  await listed("resources/templates/list", "resourceTemplates");
  const call = (name: string, more: Fields = {}): Promise<Fields> =>
    host.ask("tools/call", { name: `${named}${name}`, arguments: {}, ...more });
  for (const name of ["blocks", "plain", "structured", "fails", "refuses", "mute", "asks", "rooted"])
    said[name] = await call(name);
  host.rootsChanged();
  said["rooted again"] = await call("rooted");
  said["chats"] = await call("chats", { _meta: { progressToken: "p" } });
  said["heard"] = await call("heard", { _meta: { "org.example/trace": "1" } });
  said["heard with progress"] = await call("heard", { _meta: { progressToken: "h" } });
  said["prompt"] = await host.ask("prompts/get", { name: `${named}hello`, arguments: { who: "Ada" } });
  said["read"] = await host.ask("resources/read", { uri: "chat:one" });
  said["missing"] = await host.ask("resources/read", { uri: "chat:none" });
  for (const ref of [
    { type: "ref/prompt", name: `${named}hello` },
    { type: "ref/resource", uri: "chat:{id}" },
    { type: "ref/resource", uri: "chat:one" },
  ])
    said[`${ref.type} ${ref.uri}`] = await host.ask("completion/complete", {
      ref,
      argument: { name: "who", value: "A" },
    });
  const hears = async (fits: (heard: Fields) => boolean): Promise<void> => {
    await expect.poll(() => host.heard.some(fits)).toBe(true);
  };
  // A call that is cancelled, once it runs.
  const cancel = host.begin("tools/call", {
    name: `${named}waits`,
    arguments: {},
    _meta: { progressToken: "w" },
  });
  await hears(({ params }) => (params as Fields | undefined)?.["message"] === "waiting");
  cancel();
  said["cancelled"] = await call("cancelled");
  // A resource that changes while it is watched.
  const watch = {
    resourceSubscriptions: ["chat:one"],
    resourcesListChanged: true,
    promptsListChanged: true,
  };
  let unwatch = (): void => {};
  if (modern) {
    unwatch = host.begin("subscriptions/listen", { notifications: watch });
    await hears(({ method }) => method === "notifications/subscriptions/acknowledged");
  } else await host.ask("resources/subscribe", { uri: "chat:one" });
  said["changes"] = await call("changes");
  for (const last of [{ later: { at: 2 } }, { later: "prompts" }])
    await hears(({ params }) => isDeepStrictEqual(Object(params)["later"], last.later));
  unwatch();
  return said;
}

/** The fields in which two messages differ; positions in lists do not count. */
function differences(direct: unknown, via: unknown, path = ""): string[] {
  if (direct === via) return [];
  if (typeof direct !== "object" || typeof via !== "object" || direct === null || via === null) return [path];
  if (Array.isArray(direct) && Array.isArray(via)) {
    if (direct.length !== via.length) return [`${path}.length`];
    return direct.flatMap((item, at) => differences(item, via[at], `${path}[]`));
  }
  const keys = new Set([...Object.keys(direct), ...Object.keys(via)]);
  return [...keys].flatMap((key) => {
    const shown = key.replace(/^(tenon|io\.modelcontextprotocol)\/.*/, "$1/*");
    const inner = path === "" ? shown : `${path}.${shown}`;
    // What the protocol or Tenon adds to `_meta` counts as a field of its own, also where there was no `_meta`.
    const [one, other] = [(direct as Fields)[key], (via as Fields)[key]];
    return key === "_meta" ? differences(one ?? {}, other ?? {}, inner) : differences(one, other, inner);
  });
}

const everything = { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } };

/** The same for messages that differ in the order of their fields only. Texts of questions differ. */
function sortKey({ method, key, params }: Fields): string {
  const { message: _text, ...fields } = Object(params) as Fields;
  return JSON.stringify([method, key, Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** What a host was told, in an order that does not depend on time. */
function inOrder(heard: readonly Fields[]): readonly Fields[] {
  return (
    heard
      // Tenon's own lists change, too; what the server says of its own has parameters here.
      .filter(({ method, params }) => !String(method).endsWith("list_changed") || "later" in Object(params))
      // A server of 2026 that does not look at the level sends everything; the gateway keeps to it.
      .filter(({ params }) => (params as Fields | undefined)?.["level"] !== "debug")
      .map(({ params, ...rest }) => {
        if (params === undefined) return rest;
        const { [subscriptionKey]: _id, ...meta } = Object((params as Fields)["_meta"]) as Record<
          string,
          unknown
        >;
        return { ...rest, params: { ...(params as Fields), _meta: meta } };
      })
      .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
  );
}

const eras = ["2025", "2026"].flatMap((era) =>
  Object.entries(pairs).map(([wire, open]) => ({ era, wire, open })),
);

/** What the gateway's own connection to the server needs. */
function withoutProtocolMeta(message: Fields): Fields {
  const own = Object.entries(Object(message["_meta"]) as Fields)
    .filter(([key]) => !key.startsWith("io.modelcontextprotocol/"))
    // Its own to each connection, but there only where the host sent one.
    .map(([key, value]) => [key, key === "progressToken" ? "a token" : value] as const);
  return Array.isArray(message) ? message : { ...message, _meta: Object.fromEntries(own) };
}

/** Behind the gateway a tool or a prompt has the name of its server before its own. */
function withPrefix(fields: Fields, named: string): Fields {
  const { name } = fields;
  return typeof name === "string" ? { ...fields, name: `${named}${name}` } : fields;
}

/** Have the server do as the case says, and write down what both ends hear. */
async function act(host: RecordingHost, named: string, { request, plan, answers }: OddCase): Promise<Fields> {
  host.answers = answers;
  host.heard.length = 0;
  await host.ask("tools/call", { name: `${named}plan`, arguments: plan });
  const asked = withPrefix(request.params, named);
  const { ref } = request.params;
  const params = ref === undefined ? asked : { ...asked, ref: withPrefix(ref as Fields, named) };
  const answer = await host.ask(request.method, params);
  const heard = inOrder(host.heard);
  const { result } = await host.ask("tools/call", { name: `${named}told`, arguments: {} });
  const { told } = (result as Fields)["structuredContent"] as { told: readonly Fields[] };
  return { answer, heard, told: told.map(withoutProtocolMeta) };
}

/** The differences in one case that the guide does not name. */
async function oddDifferences({ direct, via }: Pair, odd: OddCase): Promise<string[]> {
  const first = await act(direct, "", odd);
  const second = await act(via, prefix, odd);
  return Object.keys(first).flatMap((key) => notAllowed(differences(first[key], second[key])));
}

function notAllowed(paths: readonly string[]): string[] {
  return paths.map((path) => path.replace(/^(?:result\.|\[\]\.)/, "")).filter((path) => !allowed.has(path));
}

describe.each(eras)("a server of $era behind the gateway, over $wire", ({ era, open }) => {
  it("says and hears what it does without it, but for what the guide names", async () => {
    const modern = era === "2026";
    const { direct, via } = await open(era);
    await Promise.all([direct.greet(), via.greet()]);
    const first = await converse(direct, "", modern);
    const second = await converse(via, prefix, modern);
    const found: string[] = [];
    for (const key of Object.keys(first)) {
      found.push(...notAllowed(differences(first[key], second[key])).map((path) => `${key}: ${path}`));
    }
    const heard = notAllowed(differences(inOrder(direct.heard), inOrder(via.heard)));
    found.push(...heard.map((path) => `heard: ${path}`));
    expect(found, JSON.stringify([inOrder(direct.heard), inOrder(via.heard)], null, 1)).toEqual([]);
    expect(second["refuses"]).toMatchObject({ error: { code: -32050, data: { why: ["x"] } } });
    expect(second["heard"]).toMatchObject({
      result: { structuredContent: { declared: everything, meta: { "org.example/trace": "1" } } },
    });
    expect(via.heard.filter(({ method }) => method === "notifications/message")).toHaveLength(2);
    const isSame = fc.asyncProperty(oddCase(modern), async (odd) => {
      expect(await oddDifferences({ direct, via }, odd)).toEqual([]);
    });
    await fc.assert(isSame, isLongRun ? { numRuns: 500 } : { numRuns: 25, seed: 1 });
    for (const method of ["tools/call", "prompts/get", "resources/read", "completion/complete"])
      expect(await via.ask(method, {}), method).toMatchObject({ error: { code: -32602 } });
  });
});

it.each(["2025", "2026"])(
  "a server of %s is started once, and hears no capability that the host does not have",
  async (era) => {
    const starts = join(mkdtempSync(join(tmpdir(), "tenon-starts-")), "starts");
    const serve = await startServe(
      configFor({ command: process.execPath, args: [fixture, era, "streams", starts] }),
    );
    ending.push(() => serve.close());
    const options = { capabilities: { sampling: {} }, modern: era === "2026", token: serve.token };
    const host = kept(new HttpHost(serve.url, options));
    await host.greet();
    await host.ask("tools/list", {});
    const { result } = await host.ask("tools/call", { name: `${prefix}heard`, arguments: {} });
    expect(result).toMatchObject({ structuredContent: { declared: { sampling: {} } } });
    // It is started for the host that needs it, not for nobody first.
    expect(readFileSync(starts, "utf8")).toBe("started\n");
  },
);

it("allows no difference that the guide does not list", () => {
  expect(allowed.size).toBeGreaterThan(5);
  expect(differences({ a: [{ b: 1 }] }, { a: [{ b: 2, c: 3 }] })).toEqual(["a[].b", "a[].c"]);
});
