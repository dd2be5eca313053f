import { type CheckedRoot, mountCheck } from "./mount-check.js";
import { shellQuote } from "../processes/shell-quote.js";
import type { SandboxLimits } from "./sandbox-types.js";

/** The limits that a shell sets before the wall is built. */
export function outerScript(limits: SandboxLimits, leftFile: string | undefined): string {
  const { cpuSeconds, fileSize, openFiles } = limits;
  return [
    // A limit that the caller's own ones do not let through is the stricter one already.
    "exec 9>&2 2>/dev/null",
    "ulimit -c 0",
    // First the signal that a program can handle, then the end.
    ...(cpuSeconds === undefined ? [] : [`ulimit -S -t ${cpuSeconds}`, `ulimit -H -t ${cpuSeconds + 5}`]),
    // POSIX counts blocks of 512 bytes.
    ...(fileSize === undefined ? [] : [`ulimit -f ${Math.max(1, Math.floor(fileSize / 512))}`]),
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
    // The command never sees this one: the shell before it writes there what the command leaves running.
    ...(leftFile === undefined ? [] : [`exec ${leftDescriptor}>${shellQuote(leftFile)}`]),
    'exec "$@" 2>&9 9>&-',
  ].join("\n");
}

const leftDescriptor = 5;

export interface InnerParts {
  readonly roots: readonly CheckedRoot[];
  /** Undefined for root, whom the kernel never holds to a number of processes. */
  readonly processes: number | undefined;
  readonly variables: string;
  /** Whether to list what still runs when the command has ended: it ends with the sandbox. */
  readonly listsLeft: boolean;
}

/**
 * What a shell does inside before the command: look whether the mounts are sound, and limit the processes,
 * for here the kernel counts those of this sandbox only, and outside all of the person's.
 */
export function innerScript({ roots, processes, variables, listsLeft }: InnerParts): string {
  // dash and bash have different letters for it.
  const limit =
    processes === undefined ? "" : `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}\n`;
  return `${mountCheck(roots)}${limit}${variables}${listsLeft ? listLeft : 'exec "$@"'}`;
}

/**
 * Run the command and list, a line each, what it left behind: all in this sandbox but its first process, this
 * shell and the dead. Programs are started only where there is something to list, and where that fails the
 * command's exit code still counts.
 */
const listLeft = `trap : TERM INT HUP
# What a shell says about a program that a signal ended is not the program's output.
exec 6>&2 2>/dev/null
(exec "$@" 2>&6 ${leftDescriptor}>&- 6>&-)
code=$?
trap '' TERM
trap 'exit $code' EXIT
IFS=' '
for at in /proc/[0-9]*; do
  case \${at#/proc/} in 1 | $$) continue ;; esac
  line= && read -r line <"$at/stat"
  case \${line##*) } in '' | [ZX]*) continue ;; esac
  name=\${line#*(}
  name=\${name%%)*}
  full=$(/usr/bin/head -c 200 "$at/cmdline" | /usr/bin/tr '\\0\\n' '  ')
  echo "\${full:-$name}" >&${leftDescriptor}
done
exit $code
`;
