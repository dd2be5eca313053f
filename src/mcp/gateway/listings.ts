import { messageOf } from "../../contract/message-of.js";
import type { HostScope } from "../../contract/host.js";
import type { ServerConnection } from "../client/server-connection.js";
import type { GatewayServer } from "./gateway-server.js";

type Listing = "resources/list" | "resources/templates/list" | "prompts/list";

/** The lists of one server. */
export interface ServerList {
  readonly server: GatewayServer;
  readonly items: readonly unknown[];
}

/** A slow server must not hold up what the others offer. */
const patienceMs = 5000;
/** For one that was not in time before. */
const shortPatienceMs = 100;

/** Asks servers for their listings; one that is late once is hardly waited for again. */
export class Listings {
  readonly #late = new WeakSet<ServerConnection>();

  /** The listings of all servers that offer such things, or may; what is not there in time is left out. */
  async of(
    servers: readonly GatewayServer[],
    method: Listing,
    scope: HostScope,
  ): Promise<readonly ServerList[]> {
    scope.signal.throwIfAborted();
    const what = method === "prompts/list" ? "prompts" : "resources";
    const asked = servers.filter((server) => server.offers[what] || !server.catalogue.isKnown);
    const lists = await Promise.all(
      asked.map(async (server) => {
        const { client, session } = scope;
        const profile = server.meet({ client, sessionId: session?.id, endpoint: session?.endpoint });
        const connection = await server.links.arrive(profile, patienceMs);
        if (connection?.offers[what] !== true) return [];
        return [{ server, items: await this.#list(server, connection, { method, signal: scope.signal }) }];
      }),
    );
    return lists.flat();
  }

  /** A server that fails to list costs only its own entries. */
  async #list(
    server: GatewayServer,
    connection: ServerConnection,
    { method, signal }: { readonly method: Listing; readonly signal: AbortSignal },
  ): Promise<readonly unknown[]> {
    const limit = AbortSignal.timeout(this.#late.has(connection) ? shortPatienceMs : patienceMs);
    try {
      const items = await connection.list(method, AbortSignal.any([signal, limit]));
      this.#late.delete(connection);
      return items;
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) this.#late.add(connection);
      // Many servers do not know templates.
      if (method !== "resources/templates/list" || limit.aborted)
        server.noteFault(
          `${method} failed: ${limit.aborted ? "it did not answer in time" : messageOf(error)}`,
        );
      return [];
    }
  }
}
