import type { BigIntStats } from "node:fs";
import { linuxOpener } from "./linux-opener.js";
import { portableOpener } from "./portable-opener.js";

/** A file or directory that was opened without access to its content; operations through it always reach this inode. */
export interface Handle {
  /** Its real path, from the system where the system can provide it. */
  readonly real: string;
  readonly stat: BigIntStats;
  /** A path to it for node:fs. */
  readonly self: string;
  /** A path to a name in this directory that does not resolve any other name again. */
  at(name: Buffer): Buffer;
  at(name: string): string | Buffer;
  /** Open it for reading or writing; the caller closes the descriptor. */
  reopen(flags: number): number;
  /** Its current ctime in nanoseconds; `stat` has the one from when it was opened. */
  changedNs(): bigint;
  /** Whether it is still at its real path. */
  isInPlace(): boolean;
  close(): void;
}

/** How the platform opens paths without following links. Methods throw the errors of node:fs. */
export interface Opener {
  readonly kind: "descriptor" | "portable";
  /** Open an absolute path; a link at its end is opened itself, not followed. */
  open(absolute: string): Handle;
  /** Open a name in a directory; `real` is given by the caller, so that depth has no limit. */
  openChild(parent: Handle, name: string | Buffer, real: string): Handle;
}

/** Descriptors where the system has them, names and checks elsewhere. */
export function chooseOpener(platform: NodeJS.Platform = process.platform): Opener {
  return (platform === "linux" ? linuxOpener() : undefined) ?? portableOpener(platform);
}
