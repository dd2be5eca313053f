import type {
  HostResource,
  HostResourceContent,
  HostResourceTemplate,
  HostScope,
  ResourceProvider,
} from "../../contract/host.js";
import type { ServerConnection } from "../client/server-connection.js";
import { cleanText } from "./clean-text.js";
import type { GatewayServer } from "./gateway-server.js";
import { messageOf } from "../../contract/message-of.js";
import { connectionsOf, type OpenConnection } from "./open-connections.js";

/** Resources of all servers under their own addresses; where two list the same one, the first counts. */
export function createResourceProvider(
  servers: () => readonly GatewayServer[],
  listeners: Set<() => void>,
): ResourceProvider {
  const owners = new Map<string, GatewayServer>();
  const offering = (signal: AbortSignal): ReturnType<typeof connectionsOf> =>
    connectionsOf(servers(), "resources", signal);
  return {
    async list({ signal }) {
      const found = new Map<string, HostResource>();
      for (const { server, connection } of await offering(signal)) {
        for (const item of await listOf({ server, connection }, "resources/list", signal)) {
          const resource = describe(item, "uri", server.name) as HostResource | undefined;
          if (resource === undefined || found.has(resource.uri)) continue;
          found.set(resource.uri, resource);
          owners.set(resource.uri, server);
        }
      }
      return [...found.values()];
    },
    async templates({ signal }) {
      const all: HostResourceTemplate[] = [];
      for (const { server, connection } of await offering(signal)) {
        for (const item of await listOf({ server, connection }, "resources/templates/list", signal)) {
          const template = describe(item, "uriTemplate", server.name) as HostResourceTemplate | undefined;
          if (template === undefined) continue;
          all.push(template);
          owners.set(prefixOf(template.uriTemplate), server);
        }
      }
      return all;
    },
    async read(uri, scope) {
      const owner = owners.get(uri) ?? byPrefix(owners, uri);
      if (owner !== undefined) return readFrom(await owner.link.use(), uri, scope);
      // Never listed in this run: ask those who may know it.
      for (const { connection } of await offering(scope.signal)) {
        const content = await readFrom(connection, uri, scope).catch(() => undefined);
        if (content !== undefined) return content;
      }
      return undefined;
    },
    onChange(listener) {
      const told = (): void => listener({ kind: "resources" });
      listeners.add(told);
      return () => listeners.delete(told);
    },
  };
}

async function readFrom(
  connection: ServerConnection,
  uri: string,
  { signal }: HostScope,
): Promise<readonly HostResourceContent[]> {
  const { contents } = await connection.send("resources/read", { uri }, { signal });
  return (Array.isArray(contents) ? contents : []).filter(isContent);
}

function isContent(value: unknown): value is HostResourceContent {
  if (typeof value !== "object" || value === null) return false;
  const { uri, text, blob } = value as Readonly<Record<string, unknown>>;
  return typeof uri === "string" && (typeof text === "string" || typeof blob === "string");
}

/** A server that fails to list costs only its own entries. */
async function listOf(
  { server, connection }: OpenConnection,
  method: "resources/list" | "resources/templates/list",
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  try {
    return await connection.list(method, signal);
  } catch (error) {
    signal.throwIfAborted();
    // Many servers do not know templates.
    if (method === "resources/list")
      server.noteFault(`its resources could not be listed: ${messageOf(error)}`);
    return [];
  }
}

function describe(item: unknown, key: "uri" | "uriTemplate", server: string): object | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const {
    [key]: address,
    name,
    title,
    description,
    mimeType,
    size,
    annotations,
    _meta,
  } = item as Readonly<Record<string, unknown>>;
  if (typeof address !== "string" || address === "" || cleanText(address).stripped) return undefined;
  return {
    [key]: address,
    name: words(name) ?? address,
    ...(words(title) !== undefined && { title: words(title) }),
    description: `${words(description) ?? ""} (MCP server ${server})`.trim(),
    ...(typeof mimeType === "string" && { mimeType }),
    ...(typeof size === "number" && { size }),
    ...(typeof annotations === "object" && annotations !== null && { annotations }),
    ...(typeof _meta === "object" && _meta !== null && { _meta }),
  };
}

function words(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? cleanText(value).text.slice(0, 4096) : undefined;
}

/** What stands before the first variable of a template. */
function prefixOf(template: string): string {
  const at = template.indexOf("{");
  return `${at < 0 ? template : template.slice(0, at)}{`;
}

function byPrefix(owners: ReadonlyMap<string, GatewayServer>, uri: string): GatewayServer | undefined {
  for (const [key, server] of owners) {
    if (key.endsWith("{") && key.length > 1 && uri.startsWith(key.slice(0, -1))) return server;
  }
  return undefined;
}
