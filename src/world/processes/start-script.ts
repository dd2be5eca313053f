import type { Launch } from "./launch.js";
import { shellQuote } from "../../command/shell-quote.js";

/** The paths of the pipes of a command. */
export interface CommandFifos {
  readonly outputs: readonly [stdout: string, stderr: string];
  /** @default it reads nothing */
  readonly input?: string | undefined;
}

export interface StartScriptOptions {
  readonly id: number;
  readonly launch: Launch;
  readonly fifos: CommandFifos;
  /** Files that are opened as file descriptors of the command. */
  readonly files: readonly { readonly fd: number; readonly path: string }[];
  /** File descriptors of the helper's bash that the command must not inherit. */
  readonly helperFds: readonly number[];
}

/**
 * The script that turns the process that runs it into a command. Every value is quoted, and no variable is
 * expanded, because the variables of the command may have any name.
 */
export function buildStartScript({
  id,
  launch,
  fifos,
  files,
  helperFds: foreign,
}: StartScriptOptions): string {
  const { plain, special: tricky } = splitEnv(launch.env);
  const program = [launch.file, ...launch.args];
  const argv = tricky.length === 0 ? program : ["/usr/bin/env", ...tricky.map(toEnvArgument), ...program];
  const redirections = [
    `0<${shellQuote(fifos.input ?? "/dev/null")}`,
    ...files.map(({ fd, path }) => `${checkFd(fd)}<${shellQuote(path)}`),
  ];
  return [
    `begin ${id} ${[...fifos.outputs, launch.cwd].map(shellQuote).join(" ")} || exit`,
    // Opened before the start is reported, because the files are removed then.
    `exec ${redirections.join(" ")}`,
    `echo "p ${id} $BASHPID" >&7`,
    // Variables are set first, so that warnings of bash about a locale stay out of the command's output. LC_ALL stays
    // set for bash itself: without it, each variable of a locale makes it read the files of all locales.
    `unset PATH SHLVL OLDPWD; export -n LC_ALL; ${plain.length > 0 ? `export ${plain.map(toAssignment).join(" ")}` : ":"}`,
    `exec >&8 2>&9 ${[6, 7, 8, 9, ...foreign].map((fd) => `${fd}>&-`).join(" ")}`,
    `exec ${argv.map(shellQuote).join(" ")}`,
  ].join("\n");
}

type Pair = readonly [name: string, value: string];

/** Names that have a meaning to bash, or that it refuses to set, are set by env(1) instead. */
const bashSpecialNames =
  /^(?:BASH.*|EUID|UID|PPID|SHELLOPTS|GROUPS|S?RANDOM|SECONDS|LINENO|HIST.*|FUNCNAME|DIRSTACK|EPOCH.*|OPT(?:ARG|ERR|IND)|COMP(?:_.*|REPLY)|MAPFILE|PIPESTATUS|POSIXLY_CORRECT|IFS|ENV|TMOUT|PS\d|_|PWD)$/;

function splitEnv(env: Readonly<Record<string, string>>): { plain: Pair[]; special: Pair[] } {
  // Names that are not valid in a shell cannot be passed on.
  const pairs = Object.entries(env).filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return {
    plain: pairs.filter(([name]) => !bashSpecialNames.test(name)),
    special: pairs.filter(([name]) => bashSpecialNames.test(name)),
  };
}

function toAssignment([name, value]: Pair): string {
  return `${name}=${shellQuote(value)}`;
}

function toEnvArgument([name, value]: Pair): string {
  return `${name}=${value}`;
}

/** The helper uses 6 to 9, and sh accepts only single digits. */
function checkFd(fd: number): number {
  if (!Number.isInteger(fd) || fd < 3 || fd > 5)
    throw new RangeError(`Invalid file descriptor ${fd}: expected 3 to 5.`);
  return fd;
}
