import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { BlockList, isIP, type Socket } from "node:net";
import { ToolValidationError } from "../../contract/errors.js";

/** Where a request comes from, and the address that it was sent to. */
export interface Sender {
  /** Of the other end, or of the client behind a trusted proxy. */
  readonly address: string;
  /** Such as "https://tenon.example.org". */
  readonly base: string;
}

export interface SenderOptions {
  /** Addresses and networks (CIDR) of proxies that tell the truth about their clients. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** @default the host that the request names */
  readonly publicUrl?: string | undefined;
}

/** Find out who sends a request. Headers of a proxy count only if the proxy is trusted. */
export function createSenderOf(options: SenderOptions): (request: IncomingMessage) => Sender {
  const isTrusted = createProxyCheck(options.trustedProxies ?? []);
  return ({ socket, headers }) => {
    const direct = plainAddress(socket.remoteAddress) ?? "unknown";
    const isProxied = isTrusted(direct);
    const address = isProxied ? clientAddress(direct, headers, isTrusted) : direct;
    const forwarded = isProxied ? schemeIn(headers) : undefined;
    const scheme = forwarded ?? ("encrypted" in socket ? "https" : "http");
    return { address, base: options.publicUrl ?? `${scheme}://${headers.host?.toLowerCase() ?? ""}` };
  };
}

/**
 * The address that an access token must be for. A client writes what it likes into its request: the address of another
 * server, or another port of this machine, with a token that was issued for that one. Only names, which this
 * server was given, and the end of the connection itself are certain.
 */
export function certainBase(base: string, { localAddress, localPort }: Socket): string {
  const { protocol, hostname, port } = new URL(base);
  const name = hostname.replace(/^\[|\]$|\.$/g, "");
  const isLoopback = name === "localhost" || name.endsWith(".localhost");
  if (isIP(name) === 0 && !isLoopback) return base;
  const own = plainAddress(localAddress) ?? "";
  const isOurs = (isLoopback || name === own) && Number(port || defaultPorts[protocol]) === localPort;
  return isOurs ? base : `${protocol}//${isIP(own) === 6 ? `[${own}]` : own}:${localPort}`;
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Whether an address is that of a trusted proxy; a list that cannot be read is refused. */
function createProxyCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [, net = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(network.trim()) ?? [];
    const family = isIP(net);
    const maxBits = family === 6 ? 128 : 32;
    if (family === 0 || (bits !== undefined && Number(bits) > maxBits)) throw notANetwork(network);
    list.addSubnet(net, bits === undefined ? maxBits : Number(bits), family === 6 ? "ipv6" : "ipv4");
  }
  if (networks.length === 0) return () => false;
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
}

/**
 * The last address that no trusted proxy has: whatever stands before it may have been made up by the client. Where a
 * proxy passes on one header of its client and writes the other one itself, they disagree, and neither counts.
 */
function clientAddress(
  direct: string,
  headers: IncomingHttpHeaders,
  isTrusted: (address: string) => boolean,
): string {
  const chains = [readForwardedFor(headers), readForwarded(headers)?.map(({ client }) => client)];
  const found = chains.flatMap((chain) => (chain === undefined ? [] : [lastUntrusted(chain, isTrusted)]));
  const [first, second] = found;
  if (first === undefined || (found.length > 1 && first !== second)) return direct;
  return first;
}

/** `undefined` where the chain cannot be followed: a hop without an address. */
function lastUntrusted(
  chain: readonly (string | undefined)[],
  isTrusted: (address: string) => boolean,
): string | undefined {
  let last: string | undefined;
  for (const hop of chain.toReversed()) {
    if (hop === undefined) return undefined;
    last = hop;
    if (!isTrusted(hop)) return hop;
  }
  return last;
}

function readForwardedFor(headers: IncomingHttpHeaders): (string | undefined)[] | undefined {
  const given = headers["x-forwarded-for"];
  const text = Array.isArray(given) ? given.join(",") : given;
  return text?.split(",").map((hop) => addressIn(hop));
}

interface ForwardedHop {
  readonly client: string | undefined;
  readonly scheme: string | undefined;
}

/** The header `Forwarded` (RFC 7239). */
function readForwarded({ forwarded }: IncomingHttpHeaders): ForwardedHop[] | undefined {
  return forwarded?.split(",").map((hop) => {
    const pairs = hop.split(";").map((pair) => /^\s*(\w+)\s*=\s*"?([^"]*?)"?\s*$/.exec(pair) ?? []);
    const valueOf = (name: string): string | undefined =>
      pairs.find(([, key]) => key?.toLowerCase() === name)?.[2];
    return { client: addressIn(valueOf("for") ?? ""), scheme: valueOf("proto") };
  });
}

/** The scheme that the nearest proxy was asked by. */
function schemeIn(headers: IncomingHttpHeaders): string | undefined {
  const given = headers["x-forwarded-proto"];
  const said = [
    (Array.isArray(given) ? given.join(",") : given)?.split(",").at(-1),
    readForwarded(headers)?.at(-1)?.scheme,
  ];
  const schemes = new Set(said.flatMap((text) => (text === undefined ? [] : [text.trim().toLowerCase()])));
  const [scheme] = schemes;
  return schemes.size === 1 && (scheme === "https" || scheme === "http") ? scheme : undefined;
}

/** An address with or without a port; `undefined` for names and "unknown". */
function addressIn(text: string): string | undefined {
  const bare = text.trim();
  const inBrackets = /^\[([^\]]+)\](?::\d+)?$/.exec(bare)?.[1];
  const withPort = /^([\d.]+):\d+$/.exec(bare)?.[1];
  return plainAddress(inBrackets ?? withPort ?? bare);
}

/** IPv4 as it is written everywhere, also where a socket takes both families. */
function plainAddress(text: string | undefined): string | undefined {
  const plain = text?.replace(/^::ffff:(?=\d+\.)/i, "").toLowerCase();
  return plain !== undefined && isIP(plain) !== 0 ? plain : undefined;
}

function notANetwork(text: string): Error {
  return new ToolValidationError(`Invalid trusted proxy ${JSON.stringify(text.slice(0, 80))}.`, {
    code: "VALUE_INVALID",
    hint: "Name an address or a network, such as 10.0.0.5 or 10.0.0.0/8.",
  });
}
