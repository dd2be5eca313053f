import type { HeldBack } from "./quarantine.js";

/** One path that a command changed. */
export interface CommandChange {
  /** Relative to the workspace. */
  readonly path: string;
  readonly kind: "added" | "changed" | "removed" | "mode";
  /** Lines that were added and removed, of a text. */
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  /** Of a folder: how many files are in it. */
  readonly files?: number | undefined;
}

/** A path that a command changed, and that somebody else changed meanwhile or has open. */
export interface CommandConflict {
  readonly path: string;
  readonly reason: string;
  /** From what is in the workspace to what the command left. */
  readonly diff?: string | undefined;
}

/** A change of a command that a rule holds back. */
export interface HeldChange extends HeldBack {
  /** A person can be asked about it at once. */
  readonly asks?: boolean | undefined;
  /** Nobody can agree to it. */
  readonly final?: boolean | undefined;
}

/** What became of the changes of a command. */
export interface CommitReport {
  readonly committed: "all" | "part" | "none";
  /** Everything that it changed, committed or not. */
  readonly changes: readonly CommandChange[];
  /** From the workspace to what it left, cut if it is long. */
  readonly diff: string;
  readonly heldBack: readonly HeldChange[];
  readonly conflicts: readonly CommandConflict[];
  /** They could neither be listed nor committed: the disk was full, or a file could not be moved. */
  readonly isGivenUp?: boolean | undefined;
  /** What else went wrong, in full sentences. */
  readonly warnings?: readonly string[] | undefined;
}

/** Changes of a command that are not in the workspace. */
export interface WaitingLayer {
  readonly id: string;
  readonly callId: string;
  readonly sessionId: string;
  readonly command: string;
  /** Unix times in milliseconds. */
  readonly startedAt: number;
  readonly keptAt: number;
  readonly expiresAt: number;
  /** Why they wait. */
  readonly reason: string;
  readonly bytes: number;
  readonly entries: number;
}

/** A change that waits, with what committing it would do. */
export interface WaitingChange extends CommandChange {
  /** Why it is not committed by itself; `undefined` if nothing but the whole layer waits. */
  readonly reason?: string | undefined;
  readonly rule?: string | undefined;
  readonly conflict?: boolean | undefined;
}

/** Changes of a command that wait on a layer. */
export interface LayerView extends WaitingLayer {
  readonly changes: readonly WaitingChange[];
  /** Those of them that a rule holds back, with what is inside new folders. */
  readonly heldBack: readonly HeldChange[];
  /** From the workspace to what would be committed. */
  readonly diff: string;
  /**
   * When this view was made, in nanoseconds by the clock of the file system. Pass it to `commit`, so that what others
   * change afterwards is not overwritten.
   */
  readonly seenNs: string;
}

/** The changes of commands that wait for a decision. */
export interface WaitingLayers {
  /** Oldest first. */
  list(filter?: { readonly callId?: string | undefined }): Promise<readonly WaitingLayer[]>;
  /** @param paths Only these, with everything below. @default all */
  show(id: string, paths?: readonly string[]): Promise<LayerView>;
  /**
   * Put the changes, or only these paths, into the workspace; a person has consented.
   *
   * @param seenNs Of the view that the person saw. What others changed after it is a conflict and is not overwritten.
   */
  commit(id: string, paths?: readonly string[], seenNs?: string): Promise<CommitReport>;
  /** @param paths Only these, with everything below. @default all */
  discard(id: string, paths?: readonly string[]): Promise<void>;
}
