import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { HttpTarget } from "../http/judge-target.js";
import { DialError } from "./dial.js";
import { joinSockets, openUpstream, type ForwardDeps, type InnerConnection } from "./forward.js";
import type { NetworkRun } from "./network-run.js";
import { canonicalHost } from "./host-grants.js";

/** Serves connections that use it as an HTTP proxy. */
export interface HttpProxy {
  serve(connection: InnerConnection): void;
  close(): void;
}

/** How long a request may take to arrive. */
const headersMs = 10_000;

/** Create the proxy: CONNECT for any protocol, and plain requests with an absolute address. */
export function createHttpProxy(deps: ForwardDeps): HttpProxy {
  const owners = new WeakMap<Duplex, NetworkRun>();
  const server: Server = createServer({
    maxHeaderSize: 64 * 1024,
    headersTimeout: headersMs,
    requestTimeout: 0,
  });
  const runOf = (socket: Duplex): NetworkRun => {
    const run = owners.get(socket);
    if (run === undefined) throw new Error("the connection belongs to no command");
    return run;
  };
  server.on("connect", (message: IncomingMessage, client: Socket, head: Buffer) => {
    void tunnel(message, { client, run: runOf(client) }, { head, deps });
  });
  server.on("upgrade", (message: IncomingMessage, client: Socket, head: Buffer) => {
    void upgrade(message, { client, run: runOf(client) }, { head, deps });
  });
  server.on("request", (message: IncomingMessage, response: ServerResponse) => {
    void forward(message, response, { run: runOf(message.socket), deps });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
    if (socket.writable)
      socket.end(refusalText(tooLarge ? "431 Request Header Fields Too Large" : "400 Bad Request"));
    else socket.destroy();
  });
  return {
    serve({ client, run }) {
      owners.set(client, run);
      server.emit("connection", client);
    },
    close: () => server.closeAllConnections(),
  };
}

interface TunnelParts {
  readonly head: Buffer;
  readonly deps: ForwardDeps;
}

async function tunnel(
  message: IncomingMessage,
  { client, run }: InnerConnection,
  { head, deps }: TunnelParts,
): Promise<void> {
  client.on("error", () => client.destroy());
  const target = authorityOf(message.url ?? "");
  if (target === undefined) return void client.end(refusalText("400 Bad Request"));
  try {
    const upstream = await openUpstream(target, run, deps);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) upstream.write(head);
    joinSockets(client, upstream);
  } catch (error) {
    client.end(refusalOf(error));
  }
}

/** A plain request that switches protocols, such as a web socket. */
async function upgrade(
  message: IncomingMessage,
  { client, run }: InnerConnection,
  { head, deps }: TunnelParts,
): Promise<void> {
  client.on("error", () => client.destroy());
  const wanted = absoluteTarget(message.url ?? "");
  if (wanted === undefined) return void client.end(refusalText("400 Bad Request"));
  try {
    const upstream = await openUpstream(wanted.target, run, deps);
    const headers = headerPairs(message.rawHeaders, false).map(([name, value]) => `${name}: ${value}\r\n`);
    upstream.write(`${message.method} ${wanted.path} HTTP/1.1\r\n${headers.join("")}\r\n`, "latin1");
    if (head.length > 0) upstream.write(head);
    joinSockets(client, upstream);
  } catch (error) {
    client.end(refusalOf(error));
  }
}

async function forward(
  message: IncomingMessage,
  response: ServerResponse,
  { run, deps }: { readonly run: NetworkRun; readonly deps: ForwardDeps },
): Promise<void> {
  response.on("error", () => message.destroy());
  const wanted = absoluteTarget(message.url ?? "");
  if (wanted === undefined)
    return refuseRequest(response, 400, "The address must be absolute, with http://.");
  try {
    const socket = await openUpstream(wanted.target, run, deps);
    const outgoing = request({
      method: message.method,
      path: wanted.path,
      headers: headerPairs(message.rawHeaders, true).flat(),
      setHost: false,
      createConnection: () => socket,
    });
    outgoing.once("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, headerPairs(answer.rawHeaders, true).flat());
      answer.pipe(response);
    });
    outgoing.on("error", () => {
      if (response.headersSent) response.destroy();
      else refuseRequest(response, 502, "The host did not give a valid answer.");
    });
    response.once("close", () => outgoing.destroy());
    message.pipe(outgoing);
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    refuseRequest(response, error.verdict === "refused" ? 403 : 502, sentence(error.message));
  }
}

/** `host:port` of a CONNECT. */
function authorityOf(text: string): HttpTarget | undefined {
  const [, name = "", port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  const host = canonicalHost(name);
  return host === undefined || !isPort(Number(port)) ? undefined : { host, port: Number(port) };
}

function absoluteTarget(url: string): { readonly target: HttpTarget; readonly path: string } | undefined {
  if (!/^http:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  const host = canonicalHost(parsed.hostname);
  if (host === undefined) return undefined;
  const port = parsed.port === "" ? 80 : Number(parsed.port);
  return { target: { host, port }, path: `${parsed.pathname}${parsed.search}` };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

/** Headers for the next hop: those that are meant for the proxy only are left out. */
function headerPairs(raw: readonly string[], endsConnection: boolean): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    const isOwn = /^proxy-/i.test(name) || (endsConnection && hopHeaders.has(name.toLowerCase()));
    if (!isOwn) pairs.push([name, value]);
  }
  return endsConnection ? [...pairs, ["Connection", "close"]] : pairs;
}

const hopHeaders = new Set(["connection", "keep-alive", "te", "trailer", "upgrade"]);

function refuseRequest(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${message}\n`);
}

function refusalOf(error: unknown): string {
  if (!(error instanceof DialError)) throw error;
  const status = error.verdict === "refused" ? "403 Forbidden" : "502 Bad Gateway";
  return refusalText(status, sentence(error.message));
}

function refusalText(status: string, message = ""): string {
  const body = message === "" ? "" : `${message}\n`;
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

function sentence(text: string): string {
  return `Tenon: ${text}.`;
}
