import { domainToASCII } from "node:url";
import { expandBraces } from "../glob/expand-braces.js";
import { splitExceptions } from "../glob/name-glob.js";
import { match, type Match } from "./match.js";
import { compileWildcard, PatternError } from "../glob/wildcard.js";

/** A host that a call reaches, in one spelling. */
export interface TouchedHost {
  readonly name: string;
  readonly port: string | undefined;
}

/** The `host` of a rule, compiled. */
export type HostCondition = (host: TouchedHost) => Match;

/** Bring a host, `host:port` or URL into one spelling: lower case, ASCII, plain addresses. */
export function viewHost(text: string): TouchedHost {
  const lower = text.trim().toLowerCase();
  if (PLAIN_NAME.test(lower)) return splitPort(lower);
  const url = parseUrl(lower);
  if (url === undefined) return splitPort(lower);
  return { name: bare(url.hostname), port: url.port || givenPort(lower) };
}

/** Compile globs of hosts, in which `*` spans dots; `!glob` takes out of the others. */
export function compileHosts(patterns: readonly string[], allows: boolean): HostCondition {
  const { included, excluded } = splitExceptions(patterns, "*");
  const inside = included.flatMap(compileHost);
  const outside = excluded.flatMap(compileHost);
  return (host) => {
    const excepted = best(outside, host);
    // An exception that may hold narrows an allow rule; it opens a deny rule only where it surely holds.
    if (excepted === match.yes || (allows && excepted === match.maybe)) return match.no;
    const found = best(inside, host);
    return allows && found === match.maybe ? match.no : found;
  };
}

const PLAIN_NAME = /^(?:[a-z0-9_-]+\.)*[a-z_-][a-z0-9_-]*(?::\d{1,5})?$/;

function parseUrl(text: string): URL | undefined {
  const bareAddress = /^[0-9a-f:.]+$/.test(text) && text.split(":").length > 2;
  const host = bareAddress ? `[${text}]` : text;
  const url = text.includes("://") ? text : `http://${host}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** A port that the URL parser dropped because it is the scheme's usual one. */
function givenPort(text: string): string | undefined {
  if (text.startsWith("https://")) return "443";
  if (text.startsWith("http://")) return "80";
  return /[\]\w.]:(80)$/.exec(text)?.[1];
}

function splitPort(text: string): TouchedHost {
  const [, name = text, port] = /^(\[[^\]]*\]|[^:]*)(?::([^:]*))?$/.exec(text) ?? [];
  return { name: bare(name), port: port === "" ? undefined : port };
}

function bare(name: string): string {
  return name.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

function compileHost(pattern: string): HostCondition[] {
  return expandBraces(pattern.trim().toLowerCase()).map((text) => {
    if (/[/@]|:\/\//.test(text))
      throw new PatternError("not a host: write a name or an address, without scheme or path");
    const plain = /[*?[\\]/.test(text.replace(/^\[[0-9a-f:.]+\]/, "")) ? asciiParts(text) : viewHost(text);
    if (plain.name === "") throw new PatternError("the name of the host is missing");
    const name =
      /[*?]/.test(plain.name) || text.includes("\\") ? compileWildcard(plain.name).test : same(plain.name);
    const port = plain.port === undefined || plain.port === "*" ? undefined : plain.port;
    return (host) => matchHost(host, { name, pattern: plain.name, port });
  });
}

function same(name: string): (text: string) => boolean {
  return (text) => text === name;
}

/** Names outside ASCII in the form that goes over the wire; labels with wildcards stay. */
function asciiParts(text: string): TouchedHost {
  const { name, port } = splitPort(text);
  const labels = name
    .split(".")
    .map((label) => (/^[\p{ASCII}]*$/u.test(label) ? label : domainToASCII(label) || label));
  return { name: labels.join("."), port };
}

function matchHost(
  host: TouchedHost,
  { name, pattern, port }: { name: (text: string) => boolean; pattern: string; port: string | undefined },
): Match {
  // A host with wildcards stands for all that it matches: only a pattern that takes all of them can be sure of it.
  if (!name(host.name)) return mayOverlap(host.name, pattern) ? match.maybe : match.no;
  if (port === undefined || port === host.port) return match.yes;
  return host.port === undefined ? match.maybe : match.no;
}

/** Whether a requested `*` or `*.suffix` and a pattern can mean the same host. */
function mayOverlap(requested: string, pattern: string): boolean {
  if (!requested.startsWith("*")) return false;
  const suffix = requested.slice(1);
  // What follows the last wildcard of the pattern must fit the end of the request, or the other way round.
  const end = /[^*?]*$/.exec(pattern)?.[0] ?? "";
  return end.endsWith(suffix) || (end !== pattern && suffix.endsWith(end));
}

function best(conditions: readonly HostCondition[], host: TouchedHost): Match {
  let found: Match = match.no;
  for (const condition of conditions) {
    const one = condition(host);
    if (one === match.yes) return one;
    if (one > found) found = one;
  }
  return found;
}
