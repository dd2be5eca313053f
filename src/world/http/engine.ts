import type { Socket } from "node:net";
import { Agent, buildConnector, Pool } from "undici";
import { guardLookup, type HttpLookup } from "./guard-lookup.js";
import { clientClosed } from "./http-errors.js";
import { judgeAddress, targetOf, type HttpTarget, type TargetRules } from "./judge-target.js";

/** The connections: each one is judged when it is made, and stays judged while it is kept. */
export interface Engine {
  readonly agent: Agent;
  close(): Promise<void>;
}

export interface EngineOptions {
  readonly rules: TargetRules;
  readonly connectTimeoutMs: number;
  readonly lookup?: HttpLookup | undefined;
  readonly ca?: string | undefined;
}

/** Open the agent that all requests go through; no proxy of the environment stands in between. */
export function openEngine(options: EngineOptions): Engine {
  const sockets = new Set<Socket>();
  const agent = new Agent({
    factory: (origin, pool: Pool.Options) =>
      new Pool(origin, { ...pool, connect: createConnector(targetOf(new URL(origin)), options, sockets) }),
    maxHeaderSize: 65_536,
    // The deadline of the whole request replaces them.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    agent,
    async close() {
      const done = agent.destroy(clientClosed());
      // The agent does not know of connections that are still being made.
      for (const socket of sockets) socket.destroy(clientClosed());
      await done;
    },
  };
}

function createConnector(
  target: HttpTarget,
  options: EngineOptions,
  sockets: Set<Socket>,
): buildConnector.connector {
  const { rules, ca } = options;
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: guardLookup(target, rules, options.lookup),
    autoSelectFamily: true,
    ...(ca !== undefined && { ca }),
  });
  return (request, callback) => {
    // It returns the socket, though its type does not say so.
    const socket = connect(request, callback) as unknown as Socket;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // Check the address that was really connected to, before a byte is sent.
    socket.prependOnceListener("connect", () => {
      try {
        judgeAddress(socket.remoteAddress ?? "", target, rules);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
  };
}
