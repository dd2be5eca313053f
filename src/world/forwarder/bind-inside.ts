import { spawn } from "node:child_process";
import type { Socket as UdpSocket } from "node:dgram";
import type { Server } from "node:net";
import type { NetworkNamespace } from "../sandbox/network/namespace.js";

/** An address to listen on. */
export interface Listener {
  readonly protocol: "tcp" | "udp";
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** A socket that listens in another network namespace; `error` is the code of the system if it could not. */
export type BoundSocket = { readonly wanted: Listener } & (
  | { readonly handle: Server | UdpSocket; readonly port: number; readonly error?: undefined }
  | { readonly handle?: undefined; readonly error: string }
);

/**
 * Listen on addresses of a network namespace. A process cannot enter one after it has started, so a short-lived child
 * listens there and passes the sockets on: connections are then accepted by this process, without another hop.
 */
export function bindInside(
  namespace: NetworkNamespace,
  listeners: readonly Listener[],
): Promise<readonly BoundSocket[]> {
  const [file = "", ...args] = namespace.enter([process.execPath, "-e", script]);
  const child = spawn(file, args, {
    cwd: "/",
    // In Electron, the program is Node only with this variable.
    env: { PATH: "/usr/bin:/bin", ELECTRON_RUN_AS_NODE: "1" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const bound = new Map<number, BoundSocket>();
  let problem = "";
  child.stderr?.on("data", (chunk: Buffer) => (problem += chunk.toString().slice(0, 2000)));
  return new Promise((resolve, reject) => {
    child.on("message", ({ index, port, error }: Answer, handle) => {
      const wanted = listeners[index];
      if (wanted === undefined) return;
      if (port === undefined) bound.set(index, { wanted, error: error ?? "unknown" });
      else bound.set(index, { wanted, port, handle: handle as Server | UdpSocket });
      if (bound.size < listeners.length) return;
      child.disconnect();
      resolve(listeners.flatMap((_each, at) => bound.get(at) ?? []));
    });
    child.once("error", reject);
    child.once("close", () => {
      if (bound.size === listeners.length) return;
      for (const { handle } of bound.values()) handle?.close();
      reject(new Error(`The forwarder could not be started: ${problem.trim() || "it ended early"}.`));
    });
    child.send(listeners, (error) => {
      if (error !== null) reject(error);
    });
  });
}

const timeoutMs = 10_000;

interface Answer {
  readonly index: number;
  readonly port?: number;
  readonly error?: string;
}

/** What the child runs. It ends when the other side has all sockets and disconnects. */
const script = `
process.on("message", (listeners) => {
  listeners.forEach(({ protocol, host, port }, index) => {
    const failed = ({ code, message }) => process.send({ index, error: code ?? message });
    if (protocol === "udp") {
      const socket = require("node:dgram").createSocket({ type: host.includes(":") ? "udp6" : "udp4" });
      socket.once("error", failed);
      socket.bind({ port, address: host, exclusive: true }, () =>
        process.send({ index, port: socket.address().port }, socket));
      return;
    }
    const server = require("node:net").createServer();
    server.once("error", failed);
    server.listen({ port, host, exclusive: true, backlog: 511 }, () =>
      process.send({ index, port: server.address().port }, server));
  });
});
process.on("disconnect", () => process.exit());
`;
