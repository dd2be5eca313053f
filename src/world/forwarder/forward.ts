import { once } from "node:events";
import type { Socket } from "node:net";
import type { HttpTarget } from "../http/judge-target.js";
import { dial, DialError, type EgressRules } from "./dial.js";
import type { NetworkRun } from "./network-run.js";
import { findOwner } from "./socket-owner.js";

/** What handling a connection needs. */
export interface ForwardDeps {
  readonly egress: EgressRules;
  /** The commands that run in the namespace now. */
  readonly runs: ReadonlySet<NetworkRun>;
}

/** A connection that a program inside made, and the command that the program belongs to. */
export interface InnerConnection {
  readonly client: Socket;
  readonly run: NetworkRun;
}

/** Find out whose connection it is; one of no running command is closed. */
export async function attribute(client: Socket, { runs }: ForwardDeps): Promise<InnerConnection | undefined> {
  const run = await findOwner(runs, { protocol: "tcp", port: client.remotePort ?? 0 });
  if (run === undefined || client.destroyed) {
    client.destroy();
    return undefined;
  }
  const abort = (): void => void client.destroy();
  run.signal.addEventListener("abort", abort, { once: true });
  client.once("close", () => run.signal.removeEventListener("abort", abort));
  return { client, run };
}

/** All bytes that have arrived, as soon as there are any; `undefined` when the connection has ended. */
export async function readSome(client: Socket): Promise<Buffer | undefined> {
  for (;;) {
    const bytes = client.read() as Buffer | null;
    if (bytes !== null) return bytes;
    if (client.readableEnded || client.destroyed) return undefined;
    const waiting = new AbortController();
    const { signal } = waiting;
    const next = ["readable", "end", "close"].map((event) => once(client, event, { signal }));
    await Promise.race(next).finally(() => waiting.abort());
  }
}

/** Connect to the target for the command, and write down what comes of it. */
export async function openUpstream(
  target: HttpTarget,
  run: NetworkRun,
  { egress }: ForwardDeps,
): Promise<Socket> {
  const { host, port } = target;
  try {
    const upstream = await dial(target, run, egress);
    const address = upstream.remoteAddress;
    upstream.on("error", () => {}); // it is closed then, which ends the other side, too
    const close = run.log.open({ host, port, ...(address !== undefined && { address }) }, () => ({
      bytesSent: upstream.bytesWritten,
      bytesReceived: upstream.bytesRead,
    }));
    upstream.once("close", close);
    return upstream;
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    const { verdict, message: reason, address } = error;
    run.log.refuse({ host, port, ...(address !== undefined && { address }) }, verdict, reason);
    throw error;
  }
}

/** Pass bytes on in both directions until both sides are done. */
export function joinSockets(client: Socket, upstream: Socket): void {
  client.setNoDelay(true);
  client.pipe(upstream);
  upstream.pipe(client);
  client.once("close", () => upstream.destroy());
  upstream.once("close", () => client.destroySoon());
}
