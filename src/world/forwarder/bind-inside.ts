import { spawn } from "node:child_process";
import type { Socket as UdpSocket } from "node:dgram";
import type { Server } from "node:net";
import { getSystemErrorName } from "node:util";
import type { NetworkNamespace } from "../sandbox/network/namespace.js";
import { bindProgram } from "./bind-program.js";

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
  program: readonly string[] = bindProgram(listeners),
): Promise<readonly BoundSocket[]> {
  const [file = "", ...args] = namespace.enter(program);
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
    child.on("message", ({ index, port, errno }: Answer, handle) => {
      const wanted = listeners[index];
      if (wanted === undefined) return;
      if (port === undefined)
        bound.set(index, { wanted, error: errno === undefined ? "unknown" : getSystemErrorName(-errno) });
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
  });
}

const timeoutMs = 10_000;

/** What the child reports about each listener; it ends when this process disconnects. */
interface Answer {
  readonly index: number;
  readonly port?: number;
  readonly errno?: number;
}
