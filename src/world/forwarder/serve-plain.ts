import type { Socket } from "node:net";
import { DialError } from "./dial.js";
import { attribute, joinSockets, openUpstream, type ForwardDeps } from "./forward.js";
import { isLoopbackName } from "./host-grants.js";
import type { NameTable } from "./name-table.js";
import type { NetworkRun } from "./network-run.js";

/** Serve a connection to an address that stands for a host, or to a port of the loopback that the command names. */
export async function servePlain(client: Socket, names: NameTable, deps: ForwardDeps): Promise<void> {
  const [address = "", port = 0] = [client.localAddress?.replace(/^::ffff:/, ""), client.localPort];
  const connection = await attribute(client, deps);
  if (connection === undefined) return;
  const { run } = connection;
  const host = names.hostAt(address) ?? loopbackHost(run, address, port);
  // A reset looks like a port that nobody listens on.
  if (host === undefined) return void client.resetAndDestroy();
  try {
    joinSockets(client, await openUpstream({ host, port }, run, deps));
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    client.resetAndDestroy();
  }
}

/** The loopback of the machine, by the name or address that the command was granted. */
function loopbackHost({ grants }: NetworkRun, address: string, port: number): string | undefined {
  return ["localhost", address].find((host) => isLoopbackName(host) && grants.allows(host, port));
}
