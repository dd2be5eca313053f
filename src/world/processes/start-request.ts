import type { Launch } from "./launch.js";
import { shellQuote } from "./shell-quote.js";

export interface StartRequest {
  readonly id: number;
  readonly launch: Launch;
  /** Paths of the pipes for stdout and stderr. */
  readonly fifos: readonly [stdout: string, stderr: string];
  /** Files that are opened as descriptors. */
  readonly files: readonly { readonly fd: number; readonly path: string }[];
  /** Descriptors of the helper's own that must not reach the command. */
  readonly foreign: readonly number[];
}

/**
 * The script that turns the process that runs it into a command. Nothing in it but its own words
 * is not quoted, and no variable is looked at: those of the command could have any name.
 */
export function startRequest({ id, launch, fifos, files, foreign }: StartRequest): string {
  const { plain, tricky } = splitEnv(launch.env);
  const program = [launch.file, ...launch.args];
  const argv = tricky.length === 0 ? program : ["/usr/bin/env", ...tricky.map(toPair), ...program];
  const redirections = files.map(({ fd, path }) => `${checkFd(fd)}<${shellQuote(path)}`);
  return [
    `begin ${id} ${[...fifos, launch.cwd].map(shellQuote).join(" ")} || exit`,
    // Before the start is reported: then the files go.
    ...(redirections.length > 0 ? [`exec ${redirections.join(" ")}`] : []),
    `echo "p ${id} $BASHPID" >&7`,
    // Variables first: what bash has to say about a locale must not get into the command's output.
    `unset PATH LC_ALL SHLVL OLDPWD; ${plain.length > 0 ? `export ${plain.map(assign).join(" ")}` : ":"}`,
    `exec </dev/null >&8 2>&9 ${[6, 7, 8, 9, ...foreign].map((fd) => `${fd}>&-`).join(" ")}`,
    `exec ${argv.map(shellQuote).join(" ")}`,
  ].join("\n");
}

type Pair = readonly [name: string, value: string];

/** Names that bash itself gives a meaning or refuses to set are set by env(1) instead. */
const special =
  /^(?:BASH.*|EUID|UID|PPID|SHELLOPTS|GROUPS|S?RANDOM|SECONDS|LINENO|HIST.*|FUNCNAME|DIRSTACK|EPOCH.*|OPT.*|COMP.*|MAPFILE|PIPESTATUS|POSIXLY_CORRECT|IFS|ENV|TMOUT|PS\d|_|PWD)$/;

function splitEnv(env: Readonly<Record<string, string>>): { plain: Pair[]; tricky: Pair[] } {
  // What is no name that a shell can hold never reaches a program through one.
  const pairs = Object.entries(env).filter(([name]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return {
    plain: pairs.filter(([name]) => !special.test(name)),
    tricky: pairs.filter(([name]) => special.test(name)),
  };
}

function assign([name, value]: Pair): string {
  return `${name}=${shellQuote(value)}`;
}

function toPair([name, value]: Pair): string {
  return `${name}=${value}`;
}

/** 6 to 9 are the helper's own, and a shell takes no number of two digits. */
function checkFd(fd: number): number {
  if (!Number.isInteger(fd) || fd < 3 || fd > 5)
    throw new RangeError(`Descriptor ${fd} is not one of 3 to 5.`);
  return fd;
}
