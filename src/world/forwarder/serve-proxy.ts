import type { Socket } from "node:net";
import { attribute, readSome, type ForwardDeps } from "./forward.js";
import type { HttpProxy } from "./serve-http.js";
import { serveSocks, socksVersion } from "./serve-socks.js";

/** How long a program may take to say what it wants. */
const handshakeMs = 10_000;

/** Serve a connection to the proxy port, which takes HTTP and SOCKS 5. */
export async function serveProxy(client: Socket, http: HttpProxy, deps: ForwardDeps): Promise<void> {
  client.setTimeout(handshakeMs, () => client.destroy());
  const connection = await attribute(client, deps);
  if (connection === undefined) return;
  const first = await readSome(client);
  if (first === undefined) return void client.destroy();
  client.pause();
  client.unshift(first);
  if (first[0] === socksVersion) {
    await serveSocks(connection, deps);
    client.setTimeout(0);
    return;
  }
  client.setTimeout(0); // the HTTP server has a time limit of its own
  client.removeAllListeners("timeout");
  http.serve(connection);
  process.nextTick(() => client.resume());
}
