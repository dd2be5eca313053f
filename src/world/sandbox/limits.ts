import { type CheckedRoot, mountCheck } from "./mount-check.js";
import type { SandboxLimits } from "./sandbox-types.js";

/** The limits that a shell sets before the wall is built. */
export function outerScript(limits: SandboxLimits, joins: number): string {
  const { cpuSeconds, fileSize, openFiles } = limits;
  return [
    // A limit that the caller's own ones do not let through is the stricter one already.
    "exec 9>&2 2>/dev/null",
    // A group that has just gone must not stop the command; the other limits hold.
    ...Array.from({ length: joins }, () => 'echo 0 >"$1"; shift'),
    "ulimit -c 0",
    // First the signal that a program can handle, then the end.
    ...(cpuSeconds === undefined ? [] : [`ulimit -S -t ${cpuSeconds}`, `ulimit -H -t ${cpuSeconds + 5}`]),
    // POSIX counts blocks of 512 bytes.
    ...(fileSize === undefined ? [] : [`ulimit -f ${Math.max(1, Math.floor(fileSize / 512))}`]),
    ...(openFiles === undefined ? [] : [`ulimit -n ${openFiles}`]),
    'exec "$@" 2>&9 9>&-',
  ].join("\n");
}

export interface InnerParts {
  readonly roots: readonly CheckedRoot[];
  /** Undefined for root, whom the kernel never holds to a number of processes. */
  readonly processes: number | undefined;
  readonly variables: string;
}

/**
 * What a shell does inside before the command: look whether the mounts are sound, and limit the processes,
 * for here the kernel counts those of this sandbox only, and outside all of the person's.
 */
export function innerScript({ roots, processes, variables }: InnerParts): string {
  // dash and bash have different letters for it.
  const limit =
    processes === undefined ? "" : `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}\n`;
  return `${mountCheck(roots)}${limit}${variables}exec "$@"`;
}
