import { type CheckedRoot, mountCheck } from "./mount-check.js";
import { closeLower, type LayerPlace, mountLines, scanLines } from "./layer/layer-script.js";
import { shellQuote } from "../../command/shell-quote.js";
import type { SandboxLimits } from "./sandbox-types.js";

export interface OuterScriptOptions {
  readonly limits: SandboxLimits;
  readonly leftoversFile: string | undefined;
  /** The layer to run on; it is listed when the command has ended. */
  readonly layer: LayerPlace | undefined;
}

/** The script that sets limits before bubblewrap starts. */
export function outerScript({ limits, leftoversFile, layer }: OuterScriptOptions): string {
  const { cpuSeconds, fileSize, openFiles } = limits;
  return [
    ...(layer === undefined ? [] : [mountLines(layer)]),
    // A limit that cannot be raised is already stricter.
    "exec 9>&2 2>/dev/null",
    "ulimit -c 0",
    // First a signal that a program can handle, then SIGKILL.
    ...(cpuSeconds === undefined ? [] : [`ulimit -S -t ${cpuSeconds}`, `ulimit -H -t ${cpuSeconds + 5}`]),
    // POSIX counts blocks of 512 bytes.
    ...(fileSize === undefined ? [] : [`ulimit -f ${Math.max(1, Math.floor(fileSize / 512))}`]),
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
    // Not visible to the command: the shell that starts it writes the remaining processes there.
    ...(leftoversFile === undefined ? [] : [`exec ${leftoversFd}>${shellQuote(leftoversFile)}`]),
    ...(layer === undefined
      ? ['exec "$@" 2>&9 9>&-']
      : [`"$@" 2>&9 9>&- ${closeLower}`, "code=$?", "exec 9>&-", scanLines, "exit $code"]),
  ].join("\n");
}

const leftoversFd = 5;

export interface InnerScriptOptions {
  readonly roots: readonly CheckedRoot[];
  /** `undefined` for root, for whom the kernel does not limit processes. */
  readonly processes: number | undefined;
  readonly variables: string;
  /** Whether to list the processes that still run when the command has ended. */
  readonly listsLeftovers: boolean;
}

/**
 * The script that runs inside before the command: it checks the mounts and limits the number of processes, which the
 * kernel counts per sandbox here, but per user outside.
 */
export function innerScript({ roots, processes, variables, listsLeftovers }: InnerScriptOptions): string {
  // dash and bash use different letters for it.
  const limit =
    processes === undefined ? "" : `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}\n`;
  return `${mountCheck(roots)}${limit}${variables}${listsLeftovers ? listLeftovers : 'exec "$@"'}`;
}

/**
 * Run the command, then say in a line what it used, which its parent counts however short it ran, and list the
 * processes that it left behind, one per line: all in this sandbox except for the first process, this shell and zombies. The exit code of the command is kept even if listing fails.
 */
const listLeftovers = `trap : TERM INT HUP
# What a shell says about a program that a signal ended is not the program's output.
exec 6>&2 2>/dev/null
(exec "$@" 2>&6 ${leftoversFd}>&- 6>&-)
code=$?
trap '' TERM
trap 'exit $code' EXIT
IFS=' '
io=0
while read -r key value; do
  case $key in rchar: | wchar:) io=$((io + value)) ;; esac
done <"/proc/$$/io"
read -r line <"/proc/$$/stat"
set -- \${line##*) }
echo "used $io $((\${14} + \${15}))" >&${leftoversFd}
for at in /proc/[0-9]*; do
  case \${at#/proc/} in 1 | $$) continue ;; esac
  line= && read -r line <"$at/stat"
  case \${line##*) } in '' | [ZX]*) continue ;; esac
  name=\${line#*(}
  name=\${name%%)*}
  full=$(/usr/bin/head -c 200 "$at/cmdline" | /usr/bin/tr '\\0\\n' '  ')
  echo "\${full:-$name}" >&${leftoversFd}
done
exit $code
`;
