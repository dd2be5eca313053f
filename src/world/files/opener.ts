import type { BigIntStats } from "node:fs";
import { linuxOpener } from "./linux-opener.js";
import { portableOpener } from "./portable-opener.js";

/** Something on disk that was opened without reading it; what is done through it stays with it. */
export interface Handle {
  /** Where it really is, told by the system where it can tell. */
  readonly real: string;
  readonly stat: BigIntStats;
  /** A path that leads to the thing itself, for calls of node:fs. */
  readonly self: string;
  /** A path to a name in this directory that walks through no other name again. */
  at(name: string): string;
  at(name: Buffer): Buffer;
  /** Open the thing itself for use; the caller closes the descriptor. */
  reopen(flags: number): number;
  /** When its content, name or rights last changed, in nanoseconds; `stat` has what it was at first. */
  changedNs(): bigint;
  /** Whether it still stands where it was judged. */
  isInPlace(): boolean;
  close(): void;
}

/** The platform's way to open without following links. Both throw the system's own errors. */
export interface Opener {
  readonly kind: "descriptor" | "portable";
  /** Open what stands at an absolute path; a link at its end is opened itself, not followed. */
  open(absolute: string): Handle;
  /** Open a name in a directory; `real` is then only joined, so that depth has no limit. */
  openChild(parent: Handle, name: string | Buffer, real: string): Handle;
}

/** Descriptors where the system has them, names and checks elsewhere. */
export function chooseOpener(platform: NodeJS.Platform = process.platform): Opener {
  return (platform === "linux" ? linuxOpener() : undefined) ?? portableOpener(platform);
}
