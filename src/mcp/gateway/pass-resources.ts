import type {
  HostChange,
  HostReadResult,
  HostResource,
  HostResourceContent,
  HostResourceTemplate,
  HostScope,
  ResourceProvider,
} from "../../contract/host.js";
import { isRecord } from "../../contract/is-record.js";
import { cleanText } from "./clean-text.js";
import { ownFields } from "../client/own-fields.js";
import { definitionFields } from "./definition-fields.js";
import type { GatewayServer } from "./gateway-server.js";
import { isOffered } from "./offered-servers.js";
import { Listings } from "./listings.js";
import { completeBy } from "./pass-completion.js";

/** Resources of all servers under their own addresses; where two list the same one, the first counts. */
export function createResourceProvider(
  servers: () => readonly GatewayServer[],
  listeners: Set<(change: HostChange) => void>,
): ResourceProvider {
  const listings = new Listings();
  const owners = new Map<string, GatewayServer>();
  const templates = new Map<string, GatewayServer>();
  const visible = (scope: HostScope) => servers().filter((server) => isOffered(server, scope));
  const listTemplates = async (scope: HostScope): Promise<readonly HostResourceTemplate[]> => {
    const all: HostResourceTemplate[] = [];
    for (const { server, items } of await listings.of(visible(scope), "resources/templates/list", scope)) {
      for (const item of items) {
        const template = describe(item, "uriTemplate") as HostResourceTemplate | undefined;
        if (template === undefined) continue;
        all.push(template);
        if (!templates.has(template.uriTemplate)) templates.set(template.uriTemplate, server);
      }
    }
    return all;
  };
  const ownerOf = (uri: string, scope: HostScope): GatewayServer | undefined => {
    const owner = owners.get(uri) ?? byTemplate(templates, uri);
    return owner !== undefined && isOffered(owner, scope) ? owner : undefined;
  };
  const offering = (scope: HostScope): readonly GatewayServer[] =>
    visible(scope).filter((server) => server.offers.resources || !server.catalogue.isKnown);
  return {
    async list(scope) {
      const found = new Map<string, HostResource>();
      for (const { server, items } of await listings.of(visible(scope), "resources/list", scope)) {
        for (const item of items) {
          const resource = describe(item, "uri") as HostResource | undefined;
          if (resource === undefined || found.has(resource.uri)) continue;
          found.set(resource.uri, resource);
          owners.set(resource.uri, server);
        }
      }
      return [...found.values()];
    },
    templates: listTemplates,
    async read(uri, scope) {
      const owner = ownerOf(uri, scope);
      if (owner !== undefined) return readFrom(owner, uri, scope);
      // Never listed in this run: ask those who may know it.
      const asked = offering(scope);
      for (const server of asked) {
        try {
          return await readFrom(server, uri, scope);
        } catch (error) {
          scope.signal.throwIfAborted();
          if (asked.length === 1) throw error;
        }
      }
      return undefined;
    },
    async complete(asked, scope) {
      if (!templates.has(asked.of)) await listTemplates(scope);
      const named = templates.get(asked.of);
      if (named !== undefined && !isOffered(named, scope)) return undefined;
      // An address that no template is written like may still be one that its server can complete.
      const others = offering(scope);
      const server = named ?? ownerOf(asked.of, scope) ?? (others.length === 1 ? others[0] : undefined);
      return server && completeBy(server, { ...asked, ref: { type: "ref/resource", uri: asked.of } }, scope);
    },
    async watch(uri, scope) {
      const asked = offering(scope);
      if (ownerOf(uri, scope) === undefined && asked.length > 1) await this.list(scope);
      const server = ownerOf(uri, scope) ?? (asked.length === 1 ? asked[0] : undefined);
      return server?.watch(uri);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function readFrom(server: GatewayServer, uri: string, scope: HostScope): Promise<HostReadResult> {
  const result = ownFields(await server.request("resources/read", { uri }, scope));
  const { contents } = result;
  return { ...result, contents: (Array.isArray(contents) ? contents : []).filter(isContent) };
}

function isContent(value: unknown): value is HostResourceContent {
  const { uri, text, blob } = isRecord(value) ? value : {};
  return typeof uri === "string" && (typeof text === "string" || typeof blob === "string");
}

function describe(item: unknown, key: "uri" | "uriTemplate"): object | undefined {
  if (!isRecord(item)) return undefined;
  const address = item[key];
  if (typeof address !== "string" || address === "" || cleanText(address).stripped) return undefined;
  return { name: address, ...definitionFields(item) };
}

/** The server with a template that an address matches, by the text before the template's first variable. */
function byTemplate(templates: ReadonlyMap<string, GatewayServer>, uri: string): GatewayServer | undefined {
  for (const [template, server] of templates) {
    const at = template.indexOf("{");
    if (at > 0 && uri.startsWith(template.slice(0, at))) return server;
  }
  return undefined;
}
