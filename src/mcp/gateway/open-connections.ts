import type { ServerConnection } from "../client/server-connection.js";
import type { GatewayServer } from "./gateway-server.js";

/** A server that can be asked now. */
export interface OpenConnection {
  readonly server: GatewayServer;
  readonly connection: ServerConnection;
}

/** A slow server must not hold up what the others offer. */
const patienceMs = 5000;

/** Connections to all servers that offer such things; what is not there in time is left out. */
export async function connectionsOf(
  servers: readonly GatewayServer[],
  what: "resources" | "prompts",
  signal: AbortSignal,
): Promise<readonly OpenConnection[]> {
  signal.throwIfAborted();
  const asked = servers.filter((server) => server.offers[what]);
  const opened = await Promise.all(
    asked.map(async (server) => ({ server, connection: await patiently(server.link.use()) })),
  );
  return opened.flatMap(({ server, connection }) =>
    connection?.offers[what] === true ? [{ server, connection }] : [],
  );
}

async function patiently(opening: Promise<ServerConnection>): Promise<ServerConnection | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs);
  });
  try {
    return await Promise.race([opening.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
