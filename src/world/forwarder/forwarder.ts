import type { Socket as UdpSocket } from "node:dgram";
import type { Server, Socket } from "node:net";
import type { NetworkNamespace } from "../sandbox/network/namespace.js";
import { bindInside, type BoundSocket, type Listener } from "./bind-inside.js";
import type { EgressRules } from "./dial.js";
import type { ForwardDeps } from "./forward.js";
import { usualPorts } from "./host-grants.js";
import { createNameTable } from "./name-table.js";
import type { NetworkRun } from "./network-run.js";
import { serveResolver } from "./resolver.js";
import { createHttpProxy } from "./serve-http.js";
import { servePlain } from "./serve-plain.js";
import { serveProxy } from "./serve-proxy.js";

/** Leads connections out of the network namespace of a session, each judged by the egress guard. */
export interface Forwarder {
  /** Listen for what the command is granted; returns the port of the proxy and what could not be offered. */
  open(run: NetworkRun): Promise<OpenedForwarder>;
  /** The command has ended: stop listening for it alone. */
  release(run: NetworkRun): void;
  close(): void;
}

export interface OpenedForwarder {
  readonly proxyPort: number;
  /** Full sentences. */
  readonly problems: readonly string[];
}

export interface ForwarderOptions {
  readonly namespace: NetworkNamespace;
  readonly egress: EgressRules;
  /** The commands that run in the namespace. */
  readonly runs: ReadonlySet<NetworkRun>;
}

/** The address of the resolver inside. */
export const resolverAddress = "127.8.0.53";
const resolverPort = 53;
/** More at the same time than programs need; what is beyond is refused at once. */
const maxConnections = 512;

/** Create the forwarder of a session; nothing listens before a command is granted a host. */
export function createForwarder({ namespace, egress, runs }: ForwarderOptions): Forwarder {
  const deps: ForwardDeps = { egress, runs };
  const names = createNameTable();
  const http = createHttpProxy(deps);
  const clients = new Set<Socket>();
  /** The sockets by their protocol and address. */
  const bound = new Map<string, BoundSocket>();
  const users = new Map<string, Set<NetworkRun>>();
  let binding: Promise<unknown> = Promise.resolve();
  let proxyPort: number | undefined;

  const accept = (server: Server, serve: (client: Socket) => Promise<void>): void => {
    server.unref();
    // Otherwise the answer to a program that has sent everything would be cut off.
    Object.assign(server, { allowHalfOpen: true });
    server.on("connection", (client) => {
      if (clients.size >= maxConnections) {
        client.resetAndDestroy();
        return;
      }
      clients.add(client);
      client.once("close", () => clients.delete(client));
      client.on("error", () => client.destroy());
      client.unref();
      serve(client).catch(() => client.destroy()); // the program broke off or does not speak the protocol
    });
  };
  const take = (socket: BoundSocket): void => {
    bound.set(keyOf(socket.wanted), socket);
    if (socket.handle === undefined) return;
    if (socket.wanted.protocol === "udp") {
      const udp = socket.handle as UdpSocket;
      udp.unref();
      serveResolver(udp, names, deps);
    } else if (socket.wanted === proxyListener) {
      proxyPort = socket.port;
      accept(socket.handle as Server, (client) => serveProxy(client, http, deps));
    } else accept(socket.handle as Server, (client) => servePlain(client, names, deps));
  };
  const bind = async (wanted: readonly Listener[]): Promise<void> => {
    const missing = wanted.filter((each) => bound.get(keyOf(each))?.handle === undefined);
    if (missing.length === 0) return;
    for (const socket of await bindInside(namespace, missing)) take(socket);
  };
  return {
    async open(run) {
      const own = ownListeners(run);
      // Before anything is awaited: a command that ends meanwhile must not close what this one needs.
      for (const each of own) {
        const using = users.get(keyOf(each)) ?? new Set();
        users.set(keyOf(each), using.add(run));
      }
      const turn = binding.then(() => bind([...commonListeners, ...own]));
      binding = turn.catch(() => {}); // the caller that awaits it gets the error
      await turn;
      const failed = [...commonListeners, ...own].flatMap((each) => {
        const error = bound.get(keyOf(each))?.error;
        // Many machines have no IPv6.
        return error === undefined || each.host === "::1" ? [] : [problemWith(each, error)];
      });
      if (proxyPort === undefined) throw new Error("the proxy of the session does not listen");
      return { proxyPort, problems: failed };
    },
    release(run) {
      for (const [key, using] of users) {
        if (!using.delete(run) || using.size > 0) continue;
        users.delete(key);
        bound.get(key)?.handle?.close();
        bound.delete(key);
      }
    },
    close() {
      for (const { handle } of bound.values()) handle?.close();
      for (const client of clients) client.destroy();
      bound.clear();
      http.close();
    },
  };
}

const proxyListener: Listener = { protocol: "tcp", host: "127.0.0.1", port: 0 };

/** Ports below 1024 are free: commands have no right to listen on them. */
const commonListeners: readonly Listener[] = [
  proxyListener,
  { protocol: "udp", host: resolverAddress, port: resolverPort },
  ...usualPorts.map((port) => ({ protocol: "tcp" as const, host: "0.0.0.0", port })),
];

function ownListeners({ grants }: NetworkRun): Listener[] {
  const everywhere = new Set([...usualPorts, ...grants.ports]);
  const listen = (host: string, port: number): Listener => ({ protocol: "tcp", host, port });
  return [
    ...grants.ports.map((port) => listen("0.0.0.0", port)),
    ...grants.loopbackPorts.filter((port) => !everywhere.has(port)).map((port) => listen("127.0.0.1", port)),
    ...grants.loopbackPorts.map((port) => listen("::1", port)),
  ];
}

function problemWith({ protocol, host, port }: Listener, error: string): string {
  const place = `${protocol} port ${port} of ${host}`;
  return error === "EADDRINUSE"
    ? `A server of this session already uses ${place}, so only programs that use the proxy variables reach that port of a granted host.`
    : `The forwarder cannot listen on ${place} (${error}).`;
}

function keyOf({ protocol, host, port }: Listener): string {
  return `${protocol} ${host} ${port}`;
}
