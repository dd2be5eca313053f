import { waitAtMost } from "../../contract/system-clock.js";
import { ToolDefinitionError, ToolResourceNotFoundError } from "../../contract/errors.js";
import type { HostChange } from "../../contract/host.js";
import { messageOf } from "../../contract/message-of.js";
import type { UpstreamSpec } from "../../contract/ports/upstream.js";
import { CallForCaller, type Profile } from "./caller.js";
import { GatewayServer } from "./gateway-server.js";
import type { Gateway, GatewayOptions, ServerSettings } from "./gateway-types.js";
import { createPromptProvider } from "./pass-prompts.js";
import { createResourceProvider } from "./pass-resources.js";
import type { ServerRecord } from "./server-memory.js";

/** Calls that run may finish on a server that was removed or changed. */
const graceMs = 60_000;
const handOverMs = 3000;

/** Told of changes in what servers offer. */
interface Listeners {
  readonly resources: Set<(change: HostChange) => void>;
  readonly prompts: Set<(change: HostChange) => void>;
}

const legalName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Create the gateway to any number of servers. A server that fails does not affect the others. */
export function createGateway(options: GatewayOptions): Gateway {
  const servers = new Map<string, GatewayServer>();
  const listeners: Listeners = { resources: new Set(), prompts: new Set() };
  const all = (): readonly GatewayServer[] => [...servers.values()].filter((server) => server.enabled);

  const get = (name: string): GatewayServer => {
    const server = servers.get(name);
    if (server?.enabled === true) return server;
    const known = [...servers.keys()].join(", ");
    throw new ToolResourceNotFoundError(
      server === undefined
        ? `MCP server "${name}" not found.`
        : `MCP server "${name}" not found: it is disabled.`,
      { hint: known === "" ? "No MCP server is configured." : `There are: ${known}.` },
    );
  };
  const add = (name: string, settings: ServerSettings): GatewayServer => {
    checkName(name, servers);
    const onChange = (change: HostChange): void =>
      listeners[change.kind === "prompts" ? "prompts" : "resources"].forEach((listener) => listener(change));
    const server = new GatewayServer({ ...options, name, settings, onChange });
    servers.set(name, server);
    return server;
  };

  const start = (server: GatewayServer): void => {
    if (server.settings.lazy !== false && server.catalogue.isKnown) return;
    // One of 2025 hears only once what its host can be asked: it would be started again for the first host.
    server.links.guess(likelyHost(server.catalogue.record));
    (server.needsSecrets ? server.links.reach({}) : server.link.open()).catch(() => {}); // shown in its view
  };

  return {
    add: (name, settings) => void add(name, settings),
    async replace(name, settings) {
      const old = servers.get(name);
      servers.delete(name);
      const retiring = old?.retire(graceMs).catch((error: unknown) => old.noteFault(messageOf(error)));
      if (old !== undefined && settings === undefined) {
        const { resources, prompts } = old.offers;
        if (resources) listeners.resources.forEach((listener) => listener({ kind: "resources" }));
        if (prompts) listeners.prompts.forEach((listener) => listener({ kind: "prompts" }));
      }
      if (settings === undefined) return;
      const server = add(name, settings);
      // Two programs of one server may not get along, so the old one ends first, unless a call keeps it.
      if (retiring !== undefined) await waitAtMost(retiring, handOverMs);
      if (!server.enabled) return;
      await server.catalogue.load();
      start(server);
    },
    async load() {
      await Promise.all(all().map((server) => server.catalogue.load()));
    },
    expect(caller) {
      for (const server of all()) server.links.expect(server.meet(caller));
    },
    start() {
      for (const server of all()) start(server);
    },
    async settle(limitMs, caller = {}) {
      const arriving = all().flatMap((server) => {
        const { links, settings, catalogue } = server;
        const profile = server.meet(caller);
        links.expect(profile);
        if (settings.lazy === false) links.primary.use().catch(() => {}); // shown in its view
        return catalogue.isKnownTo(profile) ? [] : [links.arrive(profile, limitMs)];
      });
      await Promise.all(arriving);
    },
    async tryAll(limitMs) {
      await waitAtMost(
        Promise.all(all().map((server) => server.link.open().catch(() => undefined))),
        limitMs,
      );
    },
    awaitTool(name, caller = {}) {
      const at = name.indexOf(":");
      const server = at < 0 ? undefined : servers.get(name.slice(0, at));
      if (server === undefined || !server.mayOffer(name.slice(at + 1))) return undefined;
      return server.links.reach(server.meet(caller)).then(() => {});
    },
    isLoading(name) {
      const at = name.indexOf(":");
      const server = at < 0 ? undefined : servers.get(name.slice(0, at));
      return server !== undefined && server.mayOffer(name.slice(at + 1));
    },
    rootsChanged(sessionId) {
      for (const server of all()) server.rootsChanged(sessionId);
    },
    async endSession(sessionId) {
      await Promise.all([...servers.values()].map((server) => server.endSession(sessionId)));
    },
    nameBehind(wireName) {
      const server = all().find(
        (one) => wireName.startsWith(`${one.name}__`) && one.mayOffer(wireName.slice(one.name.length + 2)),
      );
      return server && `${server.name}:${wireName.slice(server.name.length + 2)}`;
    },
    servers: () => [...servers.values()].map((server) => server.view()),
    async connect(name, given) {
      const settings: ServerSettings = "spec" in given ? given : { spec: given satisfies UpstreamSpec };
      const server = add(name, settings);
      try {
        await server.link.open();
      } catch (error) {
        servers.delete(name);
        await server.close();
        throw error;
      }
      return server.view();
    },
    listTools: (name) => settled(() => get(name).listTools()),
    callTool: (name, tool, args = {}, { signal, context } = {}) =>
      settled(() => {
        const server = get(name);
        const call = new CallForCaller(context ?? {}, { signal: signal ?? new AbortController().signal });
        if (context !== undefined) server.relate(context);
        return server.callTool(tool, args, call);
      }),
    disconnect: (name) =>
      settled(async () => {
        const server = get(name);
        servers.delete(name);
        await server.remove();
      }),
    accept: (name, tools) => settled(() => get(name).review("accept", tools)),
    reject: (name, tools) => settled(() => get(name).review("reject", tools)),
    restart: (name, { startTimeoutMs } = {}) =>
      settled(async () => {
        const server = get(name);
        await server.links.close(true);
        await server.link.open(startTimeoutMs);
        return server.view();
      }),
    stop: (name) =>
      settled(async () => {
        const server = get(name);
        await server.links.stop();
        return server.view();
      }),
    resources: createResourceProvider(all, listeners.resources),
    prompts: createPromptProvider(all, listeners.prompts),
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

function checkName(name: string, servers: ReadonlyMap<string, unknown>): void {
  if (!legalName.test(name)) {
    throw new ToolDefinitionError(`"${name}" is not a valid name for an MCP server.`, {
      code: "NAME_INVALID",
      hint: "Use 1 to 64 letters, digits, _ . or -, starting with a letter or digit.",
    });
  }
  const folded = name.toLowerCase();
  if (![...servers.keys()].some((other) => other.toLowerCase() === folded)) return;
  throw new ToolDefinitionError(`There is another MCP server named "${name}".`, {
    hint: "Disconnect it first, or choose another name.",
  });
}

/** The host that will probably come first: the last one. Roots are asked for at the start, and nobody could tell them. */
function likelyHost(record: ServerRecord | undefined): Profile {
  const { capabilities, era } = record?.host ?? {};
  return era !== "modern" && capabilities?.["roots"] !== undefined ? {} : { capabilities, era };
}

/** Turns a synchronous throw into a rejection. */
async function settled<T>(work: () => Promise<T>): Promise<T> {
  return work();
}
