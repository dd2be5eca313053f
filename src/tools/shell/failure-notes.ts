import { relative } from "node:path";
import { shellQuote } from "../../command/shell-quote.js";
import type { BlockedPath, CommandResult } from "../../contract/ports/processes.js";
import { lookupNotes, refusedNotes } from "./network-notes.js";

/** What a command was given, as far as it explains a failure. */
export interface FailureContext {
  /** The hosts that it was granted. */
  readonly hosts: readonly string[];
  /** The workspace, as an absolute path. */
  readonly workspace: string;
}

/**
 * Why the sandbox made a command fail, as full sentences that end with the argument or setting that opens it. A command
 * that succeeded may have lost an error on the way (`cat .env | head`): it is told which hosts and paths it was refused.
 */
export function failureNotes(result: CommandResult, { hosts, workspace }: FailureContext): string[] {
  if (!result.sandbox.active) return hasFailed(result) ? [...patchNotes(result), ...timeNotes(result)] : [];
  const refused = refusedNotes(result.network);
  const blocked = result.blocked ?? [];
  const paths = blocked.map((each) => blockedNote(each, workspace));
  if (!hasFailed(result)) return [...refused, ...paths];
  const network = refused.length > 0 ? refused : lookupNotes(result, hosts);
  return [...network, ...paths, ...wallNotes(result, blocked), ...patchNotes(result), ...timeNotes(result)];
}

function hasFailed({ exitCode, timedOut }: CommandResult): boolean {
  return timedOut || exitCode !== 0;
}

/** Models know `apply_patch` as a program; a line that is more than one patch goes to the shell, which has none. */
function patchNotes({ exitCode, stderr }: CommandResult): string[] {
  const isMissing = exitCode === 127 && /\bapply_?patch: (?:command )?not found/.test(stderr.text);
  return isMissing
    ? [
        "apply_patch is a tool, not a program. Call it with the patch, or send a line that is only apply_patch <<'EOF' … EOF.",
      ]
    : [];
}

function timeNotes({ timedOut }: CommandResult): string[] {
  return timedOut
    ? [
        "The command was stopped at its time limit. The argument timeout raises it, up to 600000 ms; background: true runs it without one.",
      ]
    : [];
}

function blockedNote({ path, how, rule }: BlockedPath, workspace: string): string {
  const inside = relative(workspace, path);
  const shown = inside === "" || inside.startsWith("..") ? path : inside;
  const listed = JSON.stringify([shown]);
  if (rule !== undefined) {
    const effect =
      how === "hidden" ? `hides ${shown} from commands` : `keeps commands from changing ${shown}`;
    const opens = rule.asks ? " unless the line names it" : ". Only a change of that rule allows it";
    return `The rule ${JSON.stringify(rule.id)} ${effect}${opens}.`;
  }
  return {
    hidden: `A rule hides ${shown} from commands. \`tenon policy explain read_file ${shellQuote(`path=${shown}`)}\` names the rule; changing that rule allows it.`,
    "read-only": `${shown} is protected, and commands cannot change it. The setting sandbox.writable: ${listed} allows it.`,
    pinned: `${shown} cannot be moved or removed, because a rule covers a path in it. Move or remove its contents instead, or change that rule.`,
    outside: `${shown} is outside of the workspace, where files are read-only. The setting sandbox.writable: ${listed} allows it.`,
    "not visible": `${shown} is not visible in the sandbox. The setting sandbox.readable: ${listed} allows it.`,
  }[how];
}

interface WallCause {
  readonly applies: (text: string, result: CommandResult) => boolean;
  readonly note: string;
}

/** By the exit code of a shell for a program that a signal ended, or by what a shell says then. */
const bySignal =
  (signal: number, said: RegExp) =>
  (text: string, { exitCode }: CommandResult): boolean =>
    exitCode === 128 + signal || said.test(text);

/** The text names a cause and, in the same line or soon after it, a symptom: a trace has them in different lines. */
const together =
  (cause: RegExp, symptom: RegExp) =>
  (text: string): boolean => {
    const lines = text.split("\n");
    return lines.some(
      (line, at) => symptom.test(line) && cause.test(lines.slice(Math.max(0, at - 2), at + 1).join("\n")),
    );
  };

const refusedCall = /operation not permitted|permission denied|EPERM|EACCES|not permitted/i;

const namesUnixSocket = together(
  /docker|podman|containerd|\.sock\b|AF_UNIX|unix socket/i,
  /not permitted|denied|cannot connect|EPERM|EACCES|protocol/i,
);
const namesSocket = together(/\bsocket|\bping\b|raw/i, refusedCall);

const reachedFileSize = bySignal(25, /file size limit exceeded|SIGXFSZ|file too large|EFBIG/i);

const wallCauses: readonly WallCause[] = [
  {
    applies: (text) =>
      /not a tty|not a terminal|must be run (?:from|in) a terminal|no terminal|inappropriate ioctl for device|stdin is not a|failed tty get/i.test(
        text,
      ),
    note: "The program needs a terminal, and nobody can type into it. Use its options for non-interactive use, or set pty: true; with background: true, type into it with shell_input.",
  },
  {
    applies: namesUnixSocket,
    note: "Commands in the sandbox cannot use unix sockets, such as that of Docker. The setting sandbox.unixSockets allows them.",
  },
  {
    applies: together(
      /\b(?:ptrace|strace|gdb|mount|umount|unshare|clone|setns|nsenter|keyctl|io_uring|bpf|perf(?:_event_open)?|chroot|pivot_root|setuid|bwrap|rootless)\b/i,
      refusedCall,
    ),
    note: "The sandbox refuses system calls that trace processes, change users, create namespaces or mounts, or use io_uring. No setting allows them; only a person can run this outside of the sandbox.",
  },
  {
    applies: (text) => namesSocket(text) && !namesUnixSocket(text),
    note: "The sandbox refuses raw sockets, and unix sockets unless the setting sandbox.unixSockets allows them. TCP connections to a host are allowed by the argument network.",
  },
  {
    applies: bySignal(31, /bad system call|SIGSYS/i),
    note: "The command was ended because it made a system call that the sandbox does not allow (SIGSYS). No setting allows it; only a person can run this outside of the sandbox.",
  },
  {
    applies: bySignal(24, /cpu time limit exceeded|SIGXCPU/i),
    note: "The command reached its limit of CPU time. The setting sandbox.limits.cpuSeconds raises it.",
  },
  {
    applies: (text, result) => reachedFileSize(text, result) && result.commit === undefined,
    note: "The command reached its limit for the size of a file. The setting sandbox.limits.fileSize raises it.",
  },
  {
    applies: (text, result) => reachedFileSize(text, result) && result.commit !== undefined,
    note: "The command reached its limit for the size of a file. It ran on a layer, to which a file is copied as a whole before its first change: the smallest change of a file that is larger than the limit reaches it. The setting sandbox.limits.fileSize raises it; with sandbox.layers.enabled: false commands change files in place.",
  },
  {
    // Where there is no count of the kernel that tells it.
    applies: (text, { warnings }) =>
      !warnings.some((warning) => warning.includes("sandbox.limits.processes")) &&
      /\[Errno 11\] resource temporarily unavailable|fork: (?:retry: )?(?:resource temporarily unavailable|cannot allocate)|can't start new thread|unable to create (?:native )?thread|(?:spawn|fork|clone)\S* .*EAGAIN/i.test(
        text,
      ),
    note: "The command could not start more processes or threads. The setting sandbox.limits.processes raises the limit.",
  },
  {
    applies: (text) => /too many open files|EMFILE/i.test(text),
    note: "A process reached its limit of open files. The setting sandbox.limits.openFiles raises it.",
  },
];

const readOnlyNote =
  "Outside of the workspace and /tmp, files are read-only in the sandbox, and protected paths are read-only in the workspace, too. The setting sandbox.writable allows changes in a folder.";

function wallNotes(result: CommandResult, blocked: readonly BlockedPath[]): string[] {
  const text = `${result.stderr.text}\n${result.stdout.text}`;
  const isNamed = blocked.some(({ how }) => how === "read-only" || how === "outside");
  return [
    ...(!isNamed && /read-only file system|\bEROFS\b/i.test(text) ? [readOnlyNote] : []),
    ...wallCauses.filter(({ applies }) => applies(text, result)).map(({ note }) => note),
  ];
}
