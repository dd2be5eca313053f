import { isIP } from "node:net";
import { ToolError } from "../../contract/errors.js";
import { addressKind, plainAddress, type AddressKind } from "./address-kind.js";
import { plainHost, type HostRules } from "./host-rules.js";
import { refused } from "./http-errors.js";

/** Where a request goes; the address is known once a connection is made. */
export interface HttpTarget {
  readonly host: string;
  readonly port: number;
  readonly address?: string;
}

export interface TargetRules {
  readonly hosts: HostRules;
  readonly allowPrivate: boolean;
  readonly judge?: ((target: HttpTarget) => void) | undefined;
}

/** Judges a URL as far as its text can tell; throws unless it may be asked for. */
export type UrlJudge = (url: URL) => void;

/** Make a judge that remembers the origins that passed; the further rules are asked each time. */
export function createUrlJudge(rules: TargetRules): UrlJudge {
  const passed = new Map<string, HttpTarget>();
  return (url) => {
    // Not the origin: a blob: URL has that of the page it comes from.
    const place = `${url.protocol}//${url.host}`;
    let target = passed.get(place);
    if (target === undefined) {
      target = judgeUrl(url, rules);
      if (passed.size >= 1000) passed.clear();
      passed.set(place, target);
    }
    askJudge(target, rules);
  };
}

/** Throws unless a URL may be asked for, as far as its text and the built-in rules can tell. */
export function judgeUrl(url: URL, rules: Omit<TargetRules, "judge">): HttpTarget {
  const target = targetOf(url);
  const { host, port } = target;
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused(
      host || "this address",
      `the scheme ${url.protocol} is not http or https`,
      "Use an http(s) address.",
    );
  }
  if (badPorts.has(port) && !rules.hosts.namesPort(host, port)) {
    throw refuse(target, `port ${port} belongs to another protocol`);
  }
  judgeTarget(target, rules);
  return isIP(host) === 0 ? target : { ...target, address: host };
}

/** Throws unless a host may be reached, as far as its name and the built-in rules can tell. */
export function judgeTarget(target: HttpTarget, rules: Omit<TargetRules, "judge">): void {
  if (isIP(target.host) === 0) judgeName(target, rules);
  else checkAddress(target.host, target, rules);
}

/** Throws unless a connection for a target may go to an address. */
export function judgeAddress(address: string, target: HttpTarget, rules: TargetRules): void {
  checkAddress(address, target, rules);
  askJudge({ ...target, address }, rules);
}

function checkAddress(address: string, target: HttpTarget, rules: Omit<TargetRules, "judge">): void {
  const found = addressKind(address);
  if (!mayReach(found, plainAddress(address), target, rules)) {
    throw refuse(target, `it leads to ${found.range}, which is not public`);
  }
}

/** The host and port of a URL, in the spelling that rules compare. */
export function targetOf(url: URL): HttpTarget {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: plainHost(url.hostname), port };
}

/** `host`, or `host:port` where the port is not the usual one. */
export function nameOf({ host, port }: HttpTarget): string {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return port === 80 || port === 443 ? name : `${name}:${port}`;
}

function judgeName(target: HttpTarget, rules: Omit<TargetRules, "judge">): void {
  const { host, port } = target;
  if (host === "") throw refuse(target, "it names no host");
  if (metadataNames.has(host) && !rules.hosts.names(host, port)) {
    throw refuse(target, "it is the name of a cloud metadata service");
  }
  const local = host === "localhost" || host.endsWith(".localhost");
  if (local && !rules.allowPrivate && !rules.hosts.matches(host, port)) {
    throw refuse(target, "it leads to a loopback address, which is not public");
  }
}

function askJudge(target: HttpTarget, rules: TargetRules): void {
  try {
    rules.judge?.(target);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw refuse(target, `a rule forbids it (${error instanceof Error ? error.message : String(error)})`);
  }
}

const metadataNames: ReadonlySet<string> = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "instance-data.ec2.internal",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
]);

function mayReach(found: AddressKind, address: string, target: HttpTarget, rules: TargetRules): boolean {
  if (found.kind === "public") return true;
  const { host, port } = target;
  // What hands out a machine's credentials is opened by its own address only, never by a wildcard or a name.
  if (found.kind === "metadata") {
    return rules.hosts.names(address, port) && (host === address || rules.hosts.matches(host, port));
  }
  if (found.kind === "private" && rules.allowPrivate) return true;
  return rules.hosts.matches(host, port);
}

function refuse(target: HttpTarget, reason: string): Error {
  const name = nameOf(target);
  return refused(
    name,
    reason,
    `Use a public http(s) address, or add "${name}" to network.allowHosts in the configuration.`,
  );
}

/** Ports of other protocols that HTTP must not be spoken to, as the Fetch standard lists them. */
const badPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
