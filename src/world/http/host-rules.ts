import { domainToASCII } from "node:url";
import { ToolValidationError } from "../../contract/errors.js";
import { expandBraces } from "../../glob/expand-braces.js";
import { compileWildcard, PatternError } from "../../glob/wildcard.js";

/** The hosts of `allowHosts`, compiled. */
export interface HostRules {
  /** A glob takes the host, and its port if the glob names one. */
  matches(host: string, port: number): boolean;
  /** The host itself stands in the list, without a wildcard. */
  names(host: string, port: number): boolean;
  /** The host and this very port stand in the list. */
  namesPort(host: string, port: number): boolean;
}

/** Compile globs of hosts with an optional port, in which `*` spans dots and `{a,b}` is either. */
export function compileHosts(patterns: readonly string[]): HostRules {
  const rules = patterns.flatMap((pattern) => compilePattern(pattern));
  const reaches = (rule: HostRule, port: number) => rule.port === undefined || rule.port === port;
  return {
    matches: (host, port) => rules.some((rule) => reaches(rule, port) && rule.test(host)),
    names: (host, port) => rules.some((rule) => reaches(rule, port) && rule.name === host),
    namesPort: (host, port) => rules.some((rule) => rule.port === port && rule.test(host)),
  };
}

/** The spelling that hosts are compared in: no brackets, no dot at the end, lower case. */
export function plainHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "")
    .toLowerCase();
}

interface HostRule {
  readonly name: string;
  readonly test: (host: string) => boolean;
  readonly port: number | undefined;
}

function compilePattern(pattern: string): HostRule[] {
  try {
    return expandBraces(pattern.trim().toLowerCase()).map(compileHost);
  } catch (error) {
    throw error instanceof PatternError ? notAHost(pattern, error) : error;
  }
}

function compileHost(pattern: string): HostRule {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}|\*))?$/.exec(pattern) ?? [];
  // An IPv6 address without brackets has no room for a port.
  const name = bracketed ?? plain ?? (/^[0-9a-f:.*?]+$/.test(pattern) ? pattern : "");
  if (name === "" || /[/@\s\\]/.test(name) || Number(port) > 65_535) throw notAHost(pattern);
  const spelled = canonical(name);
  const { test } = compileWildcard(spelled);
  return { name: spelled, test, port: port === undefined || port === "*" ? undefined : Number(port) };
}

function canonical(name: string): string {
  if (/[*?[]/.test(name)) {
    const labels = name
      .split(".")
      .map((label) => (/^\p{ASCII}*$/u.test(label) ? label : domainToASCII(label)));
    return plainHost(labels.join("."));
  }
  const url = `http://${name.includes(":") ? `[${name}]` : name}`;
  if (!URL.canParse(url)) throw notAHost(name);
  return plainHost(new URL(url).hostname);
}

function notAHost(pattern: string, cause?: PatternError): ToolValidationError {
  const why = cause === undefined ? "" : `: ${cause.message}`;
  return new ToolValidationError(`"${pattern}" in network.allowHosts is not a valid host${why}.`, {
    code: "VALUE_INVALID",
    ...(cause !== undefined && { cause }),
    hint: 'Write a name or an address, with wildcards and a port if you like: "*.example.com", "127.0.0.1:8080", "[::1]".',
  });
}
