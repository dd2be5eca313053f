import type { CommandResult, NetworkUse } from "../../contract/ports/processes.js";

/**
 * Why the sandbox made a command fail, as full sentences that end with the argument or setting that opens it. A command
 * that succeeded gets none, except for hosts that it was refused.
 */
export function failureNotes(result: CommandResult): string[] {
  if (!result.sandbox.active) return [];
  const refused = refusedNotes(result.network);
  if (refused.length > 0) return [...refused, ...(hasFailed(result) ? wallNotes(result) : [])];
  return hasFailed(result) ? [...lookupNotes(result), ...wallNotes(result)] : [];
}

function hasFailed({ exitCode, timedOut }: CommandResult): boolean {
  return timedOut || exitCode !== 0;
}

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
  /(?:ping|ssh|getent|telnet|nc): (?:Could not resolve hostname )?([\w.-]+): (?:Name or service not known|Temporary failure)/gi,
];

/** Programs that do not say which name it was. */
const namelessFailure =
  /name or service not known|temporary failure in name resolution|network is unreachable|ENETUNREACH/i;

function lookupNotes({ stdout, stderr }: CommandResult): string[] {
  const text = `${stderr.text}\n${stdout.text}`;
  const names = new Set(
    lookupFailures.flatMap((pattern) => [...text.matchAll(pattern)].map((found) => found[1] ?? "")),
  );
  names.delete("");
  if (names.size > 0)
    return [missingHosts("The command ran without network and could not look up", [...names])];
  if (!namelessFailure.test(text)) return [];
  return [
    'The command tried to use the network, which it did not have. To reach a host, name it, for example network: ["packages.example.org"]. Only TCP connections are forwarded.',
  ];
}

interface WallCause {
  readonly applies: (text: string, result: CommandResult) => boolean;
  readonly note: string;
}

/** Exit codes of a shell for programs that a signal ended. */
const bySignal = (signal: number) => (_text: string, result: CommandResult) =>
  result.exitCode === 128 + signal;

const wallCauses: readonly WallCause[] = [
  {
    applies: (text) => /read-only file system|\bEROFS\b/i.test(text),
    note: "Outside of the workspace and /tmp, files are read-only in the sandbox, and protected paths are read-only in the workspace, too. The setting sandbox.writable opens a folder.",
  },
  {
    applies: (text) =>
      /not a tty|not a terminal|must be run (?:from|in) a terminal|no terminal|inappropriate ioctl for device|stdin is not a/i.test(
        text,
      ),
    note: "The program needs a terminal, and nobody can type into it. Use its options for non-interactive use, or set pty: true.",
  },
  {
    applies: (text) =>
      /docker|podman|containerd/i.test(text) &&
      /operation not permitted|permission denied|cannot connect/i.test(text),
    note: "Commands in the sandbox cannot use unix sockets, such as that of Docker. The setting sandbox.unixSockets allows them.",
  },
  {
    applies: (text) =>
      /(?:ptrace|mount|unshare|clone|setns|keyctl|io_uring|bpf|perf_event_open|socket)\S*[^\n]{0,80}operation not permitted/i.test(
        text,
      ),
    note: "The sandbox refuses system calls that trace processes, create namespaces or mounts, or open raw or unix sockets. The setting sandbox.unixSockets allows unix sockets; the others stay refused.",
  },
  {
    applies: bySignal(31),
    note: "The command was ended because it made a system call that the sandbox does not allow (SIGSYS).",
  },
  {
    applies: bySignal(24),
    note: "The command reached its limit of CPU time. The setting sandbox.limits.cpuSeconds raises it.",
  },
  {
    applies: bySignal(25),
    note: "The command reached its limit for the size of a file. The setting sandbox.limits.fileSize raises it.",
  },
];

function wallNotes(result: CommandResult): string[] {
  const text = `${result.stderr.text}\n${result.stdout.text}`;
  return wallCauses.filter(({ applies }) => applies(text, result)).map(({ note }) => note);
}
