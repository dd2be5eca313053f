import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server as RawServer,
  type Socket,
} from "node:net";
import type { HttpLookup } from "../guard-lookup.js";
import { certificate } from "./certificate.js";

/** A server on loopback. */
export interface TestServer {
  readonly port: number;
  /** http(s)://127.0.0.1:port */
  readonly url: string;
  /** Connections that were made to it. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A real HTTP server. */
export function serve(listener: RequestListener): Promise<TestServer> {
  return listen(createServer({ maxHeaderSize: 1_000_000 }, listener), "http");
}

/** A real HTTPS server with a certificate of its own. */
export function serveSecure(listener: RequestListener): Promise<TestServer> {
  return listen(createSecureServer({ ...certificate }, listener), "https");
}

/** A server that says what it likes. */
export function serveRaw(onConnection: (socket: Socket) => void): Promise<TestServer> {
  return listen(
    createRawServer((socket) => {
      socket.on("error", () => undefined);
      onConnection(socket);
    }),
    "http",
  );
}

/** A lookup that gives each name its answers, one set after the other, the last one for ever. */
export function answers(names: Readonly<Record<string, readonly (readonly string[])[]>>): HttpLookup {
  const asked = new Map<string, number>();
  return (hostname, _options, callback) => {
    const sets = names[hostname];
    const turn = asked.get(hostname) ?? 0;
    asked.set(hostname, turn + 1);
    const set = sets?.[Math.min(turn, sets.length - 1)];
    if (set === undefined)
      return callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
    callback(
      null,
      set.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function listen(server: Server | RawServer, scheme: string): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        port,
        url: `${scheme}://127.0.0.1:${port}`,
        connections: () => connections,
        close: () =>
          new Promise((done) => {
            for (const socket of sockets) socket.destroy();
            server.close(() => done());
          }),
      });
    });
  });
}
