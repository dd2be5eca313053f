import { isIP } from "node:net";
import { compileHosts, plainHost, type HostRules } from "../http/host-rules.js";

/** The hosts that a command may reach. */
export interface HostGrants {
  readonly patterns: readonly string[];
  /** Whether the command may reach a host, by its name or by the address that it was given as. */
  allows(host: string, port: number): boolean;
  /** Whether some port of the host is granted, so that its name may be looked up. */
  allowsName(host: string): boolean;
  /** Addresses and `localhost` that the command names: these may be private. */
  readonly literal: HostRules;
  /** Ports that are named, besides the usual ones. */
  readonly ports: readonly number[];
  /** Ports of the loopback of the host that are named. */
  readonly loopbackPorts: readonly number[];
}

/** The ports that a host is reached on if its pattern names none, for programs that do not use a proxy. */
export const usualPorts: readonly number[] = [22, 80, 443, 9418];

/** Compile a list of hosts; `*` stands for every host except the loopback of the machine. */
export function compileGrants(patterns: readonly string[]): HostGrants {
  const rules = compileHosts(patterns);
  const parsed = patterns.map(splitPattern);
  const literals = parsed.filter(({ name }) => isLiteral(name));
  const literal = compileHosts(literals.map(({ pattern }) => pattern));
  const portsOf = (some: readonly ParsedPattern[]): number[] => [
    ...new Set(some.flatMap(({ port }) => (port === undefined ? [] : [port]))),
  ];
  const names = compileHosts(parsed.map(({ name }) => (isIP(name) === 6 ? `[${name}]` : name)));
  return {
    patterns,
    allows: (host, port) => (isLoopbackName(host) ? literal : rules).matches(host, port),
    allowsName: (host) => names.matches(host, 0),
    literal,
    ports: portsOf(parsed.filter(({ name }) => !isLiteral(name))).filter(
      (port) => !usualPorts.includes(port),
    ),
    loopbackPorts: portsOf(literals.filter(({ name }) => isLoopbackName(name))),
  };
}

/** Whether a name or an address in plain spelling is the loopback. */
export function isLoopbackName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host.startsWith("127.") || host === "::1";
}

/** The one spelling of a host that a program asks for; `undefined` if it is not a host. */
export function canonicalHost(text: string): string | undefined {
  const bare = plainHost(text).replace(/%.*$/s, "");
  const url = `http://${bare.includes(":") ? `[${bare}]` : bare}`;
  if (bare === "" || /[/@?#\\\s*]/.test(bare) || !URL.canParse(url)) return undefined;
  return plainHost(new URL(url).hostname);
}

interface ParsedPattern {
  readonly pattern: string;
  readonly name: string;
  readonly port: number | undefined;
}

function splitPattern(pattern: string): ParsedPattern {
  const text = pattern.trim().toLowerCase();
  const [, name = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?(?::\*)?$/.exec(text) ?? [];
  return { pattern, name: plainHost(name), port: port === undefined ? undefined : Number(port) };
}

function isLiteral(name: string): boolean {
  return isIP(canonicalHost(name) ?? name) !== 0 || isLoopbackName(name);
}
