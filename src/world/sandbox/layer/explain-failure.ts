/** A limit of layers that a command met, by what it printed. */
export interface LayerFault {
  /** What the next run of the same line needs. */
  readonly next: "directly" | "without links" | "all directly" | "as before";
  /** A full sentence for the caller, and what to do. */
  readonly note: string;
}

interface Limit {
  readonly next: LayerFault["next"];
  readonly failed: RegExp;
  /** In a command that succeeded, only what no program prints for another reason; without it, success is believed. */
  readonly lost?: RegExp;
  readonly cause: string;
  readonly advice: string;
}

const limits: readonly Limit[] = [
  {
    next: "as before",
    failed: /failed to create link .*cross-device link/i,
    lost: /failed to create link .*cross-device link/i,
    cause: "git cannot make hard links to the objects of a repository in the workspace",
    advice: "Run git clone without --local: it then copies them.",
  },
  {
    next: "directly",
    failed: /cross-device link|\bEXDEV\b/i,
    lost: /invalid cross-device link|\bEXDEV: cross-device link|\b(?:code|errno) EXDEV\b/i,
    cause: "it ran on a layer, where a folder of the workspace cannot be renamed in place (EXDEV)",
    advice:
      "Run the same command again: it then changes the workspace directly. To move folders on a layer, use mv, which copies them.",
  },
  {
    next: "without links",
    failed: /hardlink different from source/i,
    lost: /fatal: hardlink different from source/i,
    cause: "it ran on a layer, where a hard link to a file of the workspace got another inode",
    advice: "Run the same command again: git then copies the objects.",
  },
  {
    // EOVERFLOW, which a layer answers where a file has an owner that the user namespace does not know.
    next: "all directly",
    failed: /value too large for defined data type|\bEOVERFLOW\b/i,
    cause: "it ran on a layer, which cannot change files of another user or group",
    advice: "From now on, commands change the workspace directly: run it again.",
  },
];

/**
 * The limit of layers that a command met. One that succeeded all the same (`… | tail`, `… || true`) is committed, but what
 * failed in it would fail each time.
 */
export function explainFailure(output: string, succeeded: boolean): LayerFault | undefined {
  const limit = limits.find(({ failed, lost }) => (succeeded ? lost : failed)?.test(output) === true);
  if (limit === undefined) return undefined;
  const { next, cause, advice } = limit;
  const note = succeeded
    ? `A part of the command failed because ${cause}, but the command succeeded, so its other changes count. ${advice}`
    : `The command failed because ${cause}, so nothing of it was committed. ${advice}`;
  return { next, note };
}
