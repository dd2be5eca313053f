import type { CommandResult, NetworkUse } from "../../contract/ports/processes.js";

const maxShown = 20;

/** The reason of the forwarder for a host that the call did not name. */
const notGranted = "the command was not granted this host";

/** What a command was refused, and the argument that opens it. */
export function refusedNotes(network: readonly NetworkUse[]): string[] {
  const refused = network.filter(({ verdict }) => verdict === "refused");
  const missing = [...new Set(refused.filter(({ reason }) => reason === notGranted).map(placeOf))];
  const others = refused.filter(({ reason }) => reason !== notGranted).slice(0, maxShown);
  return [
    ...(missing.length === 0 ? [] : [missingHosts("The command was refused", missing)]),
    ...others.map((use) => `The connection to ${placeOf(use)} was refused: ${use.reason ?? "not allowed"}.`),
  ];
}

function placeOf({ host, port }: NetworkUse): string {
  return port === undefined || port === 80 || port === 443 ? host : `${host}:${port}`;
}

function missingHosts(start: string, hosts: readonly string[]): string {
  const shown = hosts.slice(0, maxShown);
  const more = hosts.length > maxShown ? ` and ${hosts.length - maxShown} more` : "";
  return `${start} these hosts: ${shown.join(", ")}${more}. To reach them, add them to the argument network: ${JSON.stringify(shown)}.`;
}

/** How programs report a name that could not be looked up; the first group is the name. */
const lookupFailures: readonly RegExp[] = [
  /(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)/g, // Node
  /could not resolve (?:host(?:name)?|proxy):? ['"]?([\w.-]+)/gi, // curl, git, cargo
  /unable to resolve host address ['‘"]([\w.-]+)/gi, // wget
  /failed to resolve ['"]([\w.-]+)/gi, // Python's urllib3
  /host='([\w.-]+)'[^\n]*(?:name resolution|name or service not known|nodename)/gi,
  /lookup ([\w.-]+?)(?: on \S+)?: (?:no such host|server misbehaving)/gi, // Go
  /temporary failure resolving '([\w.-]+)'/gi, // apt
  /UnknownHostException: ([\w.-]+)/g, // Java
  /failed to connect to (?!127\.)(\d{1,3}(?:\.\d{1,3}){3})\b/gi, // curl, for an address
  /(?:ping|ssh|getent|telnet|nc): (?:Could not resolve hostname )?([\w.-]+): (?:Name or service not known|Temporary failure)/gi,
];

const onlyForwarded =
  "The command tried to reach an address directly. There is no route: TCP connections are forwarded if they use the proxy variables (HTTP_PROXY, SOCKS_PROXY) or the name of a granted host; UDP and raw sockets are not. Name the host in the argument network.";

/** Programs that do not say which name it was. */
const namelessFailure =
  /name or service not known|temporary failure in name resolution|network is unreachable|ENETUNREACH/i;

/** What a command without network, or past the forwarder, could not reach. */
export function lookupNotes(
  { stdout, stderr }: Pick<CommandResult, "stdout" | "stderr">,
  granted: readonly string[],
): string[] {
  const text = `${stderr.text}\n${stdout.text}`;
  const names = new Set(
    lookupFailures.flatMap((pattern) => [...text.matchAll(pattern)].map((found) => found[1] ?? "")),
  );
  names.delete("");
  if (names.size > 0) {
    const start =
      granted.length > 0
        ? "The command could not reach"
        : "The command ran without network and could not reach";
    return [missingHosts(start, [...names])];
  }
  if (!namelessFailure.test(text)) return [];
  if (granted.length > 0) return [onlyForwarded];
  return [
    'The command tried to use the network, which it did not have. To reach a host, name it, for example network: ["packages.example.org"]. Only TCP connections are forwarded.',
  ];
}
