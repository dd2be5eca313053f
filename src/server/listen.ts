import { createServer as createTlsServer } from "node:https";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ToolUnavailableError } from "../contract/errors.js";
import { CommonResponse } from "./common-response.js";
import { ConnectionLimits, type ConnectionLimitOptions } from "./connection-limits.js";

/** How long clients may take and how many there may be. */
export interface ListenLimits extends ConnectionLimitOptions {
  /** To send all headers. @default 10000 */
  readonly headersMs?: number | undefined;
  /** To send a whole request. @default 30000 */
  readonly requestMs?: number | undefined;
  /** How often slow clients are looked for. @default 2000 */
  readonly checkMs?: number | undefined;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits?: ListenLimits | undefined;
  /** Encrypt. */
  readonly tls?: TlsFiles | undefined;
}

/** A certificate with its chain, and its private key, as PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Open the port, with limits that slow and many clients run into. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { host, port, limits = {}, tls }: ListenOptions,
): Promise<{ readonly server: Server; readonly port: number }> {
  const connections = new ConnectionLimits(limits);
  const timing = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: limits.headersMs ?? 10_000,
    requestTimeout: limits.requestMs ?? 30_000,
    connectionsCheckingInterval: limits.checkMs ?? 2_000,
    keepAliveTimeout: 30_000,
    noDelay: true,
    ServerResponse: CommonResponse,
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (connections.admit(request, response)) handle(request, response);
  };
  const server: Server =
    tls === undefined
      ? createServer(timing, answer)
      : createTlsServer({ ...timing, ...tls, handshakeTimeout: timing.headersTimeout }, answer);
  server.on("connection", (socket) => connections.add(socket));
  if (tls !== undefined) server.on("secureConnection", (socket: Socket) => connections.addEncrypted(socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(error, { host, port })));
    server.listen({ host, port }, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

function cannotListen(cause: NodeJS.ErrnoException, { host, port }: ListenOptions): ToolUnavailableError {
  const [message, hint] = reasons[cause.code ?? ""]?.(host, port) ?? [
    `Cannot listen on ${host} port ${port}: ${cause.message}`,
    "Choose another --host or --port.",
  ];
  return new ToolUnavailableError(message, { code: "SERVICE_UNAVAILABLE", cause, hint });
}

const reasons: Readonly<Record<string, ((host: string, port: number) => [string, string]) | undefined>> = {
  EADDRINUSE: (_, port) => [
    `Port ${port} is already in use, perhaps by another tenon serve.`,
    `Choose another one: --port ${port + 1}, or --port 0 for any that is free.`,
  ],
  EACCES: (_, port) => [
    `Port ${port} requires privileges that this process does not have.`,
    "Choose a port above 1023.",
  ],
  EADDRNOTAVAIL: (host) => [
    `This machine has no address ${host}.`,
    "Omit --host to listen on this machine only.",
  ],
};
