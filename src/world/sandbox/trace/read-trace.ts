import { basename, resolve } from "node:path";

/** What a program did, as strace wrote it down. */
export interface Trace {
  /** Paths that it could not use, as absolute paths inside the sandbox. */
  readonly refused: readonly TracedPath[];
  /** Names of the programs that it started. */
  readonly programs: readonly string[];
  /** Programs that it could not start, by their paths. */
  readonly missing: readonly string[];
  /** Addresses that it tried to connect to without the proxy. */
  readonly addresses: readonly TracedAddress[];
}

export interface TracedAddress {
  readonly host: string;
  readonly port: number;
}

export interface TracedPath {
  readonly path: string;
  /** `look`: it only asked whether the path is there. */
  readonly access: "look" | "read" | "write";
}

/** The options of strace that write what `readTrace` reads. */
export const traceOptions: readonly string[] = [
  "-f",
  "-qq",
  "-y",
  "-s",
  "4096",
  "-e",
  "trace=%file,execve,connect",
  "--seccomp-bpf",
];

/** A program that tries paths without end must not fill the memory. */
const maxEntries = 2000;

/**
 * Read the output of strace.
 *
 * @param command The program whose start ends what the sandbox itself does.
 */
export function readTrace(text: string, command: string): Trace {
  const refused = new Map<string, TracedPath>();
  const programs = new Set<string>();
  const missing = new Set<string>();
  const addresses = new Map<string, TracedAddress>();
  let isInside = false;
  for (const line of text.split("\n")) {
    const call = readCall(line);
    if (call === undefined) continue;
    const started = startedProgram(call);
    isInside ||= started !== undefined && call.error === undefined && basename(started) === basename(command);
    if (!isInside) continue;
    const address = unreachedAddress(call);
    const path = refusedPath(call);
    if (started !== undefined && call.error === undefined) programs.add(basename(started));
    else if (started !== undefined) missing.add(started);
    else if (address !== undefined) addresses.set(`${address.host} ${address.port}`, address);
    else if (path !== undefined && refused.size < maxEntries)
      refused.set(`${path.access} ${path.path}`, path);
  }
  return {
    refused: [...refused.values()],
    programs: [...programs].slice(0, maxEntries),
    missing: [...missing].filter((path) => !programs.has(basename(path))).slice(0, maxEntries),
    addresses: [...addresses.values()].slice(0, maxEntries),
  };
}

interface TracedCall {
  readonly name: string;
  readonly args: string;
  readonly error: string | undefined;
}

function readCall(line: string): TracedCall | undefined {
  const [found, name = "", args = "", error] = callPattern.exec(line) ?? [];
  return found === undefined ? undefined : { name, args, error };
}

function startedProgram({ name, args }: TracedCall): string | undefined {
  return name === "execve" ? unescape(pathPattern.exec(args)?.[3] ?? "") : undefined;
}

function unreachedAddress({ name, args, error }: TracedCall): TracedAddress | undefined {
  if (name !== "connect" || error !== "ENETUNREACH") return undefined;
  const [found, port, address4, address6] = addressPattern.exec(args) ?? [];
  return found === undefined ? undefined : { host: address4 ?? address6 ?? "", port: Number(port) };
}

/** `1234  openat(AT_FDCWD</dir>, "/path", O_RDONLY) = -1 ENOENT (…)`, also where another process interrupted it. */
const callPattern = /^\d+\s+(\w+)\((.*)\)\s+= (?:-1 (E\w+)|-?\d+).*$/s;
const pathPattern = /^(?:AT_FDCWD<((?:[^>\\]|\\.)*)>, |\d+<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"/;
const addressPattern =
  /sin6?_port=htons\((\d+)\), (?:sin_addr=inet_addr\("([^"]+)"\)|.*inet_pton\(AF_INET6, "([^"]+)")/;
const refusals = new Set(["ENOENT", "EACCES", "EPERM", "EROFS"]);
const changing =
  /^(?:mkdir|rmdir|unlink|rename|link|symlink|chmod|chown|fchmod|fchown|utime|futimes|truncate|creat|mknod)/;

function refusedPath({ name, args, error }: TracedCall): TracedPath | undefined {
  if (error === undefined || !refusals.has(error)) return undefined;
  const [, cwd, folder, text] = pathPattern.exec(args) ?? [];
  if (text === undefined || text === "") return undefined;
  const path = resolve(unescape(cwd ?? folder ?? "/"), unescape(text));
  const writes = changing.test(name) || /\bO_(?:WRONLY|RDWR|CREAT)\b/.test(args) || /\bW_OK\b/.test(args);
  if (writes) return { path, access: "write" };
  return { path, access: /stat|readlink|access/.test(name) ? "look" : "read" };
}

/** Bytes that strace wrote as escapes. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  const bytes: number[] = [];
  for (const [part] of text.matchAll(/\\[0-7]{1,3}|\\x[0-9a-f]{2}|\\.|[^\\]+/gs)) {
    if (/^\\[0-7]/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8) & 255);
    else if (part.startsWith("\\x")) bytes.push(Number.parseInt(part.slice(2), 16));
    else if (part.startsWith("\\")) bytes.push(...Buffer.from(escapes[part[1] ?? ""] ?? part[1] ?? ""));
    else bytes.push(...Buffer.from(part));
  }
  return Buffer.from(bytes).toString("utf8");
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };
