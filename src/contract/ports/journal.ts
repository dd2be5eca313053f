import type { BlobRef } from "./blobs.js";

/** A file, link or directory as the journal remembers it. */
export type NodeImage =
  | {
      readonly type: "file";
      readonly hash: string;
      readonly size: number;
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
    }
  | { readonly type: "symlink"; readonly target: string; readonly size: number }
  | {
      readonly type: "directory";
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
      /** Hash of the packed content; `null` for an empty directory. */
      readonly tree: string | null;
      readonly size: number;
    };

/** One reversible step of a change. Paths are absolute and real. */
export type JournalStep =
  | {
      readonly kind: "set";
      readonly path: string;
      readonly before: NodeImage | null;
      readonly after: NodeImage | null;
      /** Where the new content is prepared, or the old one waits to be removed. */
      readonly temp: string;
    }
  | {
      readonly kind: "move";
      readonly from: string;
      readonly to: string;
      /** Device and inode of what moves: they stay the same. */
      readonly inode: string;
      readonly moved: NodeImage | { readonly type: "directory"; readonly size: number };
      readonly overwritten: NodeImage | null;
    };

/** Who changed something, on whose behalf. */
export interface ChangeOrigin {
  readonly callId: string;
  readonly taskId?: string;
  readonly sessionId: string;
  readonly tool: string;
}

/** A step with what the history shows of it. */
export interface JournalChange {
  readonly op: string;
  readonly step: JournalStep;
  readonly sizeBefore: number | null;
  readonly sizeAfter: number | null;
  /** Came along with another step (a parent directory): not shown, undone where possible. */
  readonly implied: boolean;
  /** The change that this one takes back. */
  readonly inverts?: { readonly entry: number; readonly seq: number };
  /** Contents that must be kept as long as this change can be undone. */
  readonly blobs: readonly BlobRef[];
}

/** A set of changes that happens whole or not at all. */
export interface NewJournalEntry {
  readonly kind: "change" | "undo";
  readonly origin: ChangeOrigin;
  readonly time: number;
  readonly changes: readonly JournalChange[];
}

/** `staging`: nothing has changed yet; `committing`: some steps may be done; `failed`: neither way worked. */
export type JournalPhase = "staging" | "committing" | "done" | "failed";

export interface JournalEntry extends Omit<NewJournalEntry, "changes"> {
  readonly id: number;
  readonly phase: JournalPhase;
  /** In the order they happened. */
  readonly changes: readonly (JournalChange & { readonly seq: number; readonly undone: boolean })[];
}

/** Which changes are meant: the last one of a path, or all of a call or a task. */
export type ChangeSelector =
  | { readonly path: string }
  | { readonly callId: string }
  | { readonly taskId: string };

/** One line of the history. */
export interface ChangeRecord {
  readonly id: number;
  readonly callId: string;
  readonly taskId?: string;
  readonly tool: string;
  readonly time: number;
  readonly path: string;
  /** Where it came from, for a move. */
  readonly from?: string;
  readonly op: string;
  readonly sizeBefore: number | null;
  readonly sizeAfter: number | null;
  readonly undone: boolean;
}

export interface HistoryQuery {
  readonly path?: string;
  /** @default 100 */
  readonly limit?: number;
}

export interface JournalLimits {
  /** Forget entries older than this. */
  readonly maxAgeMs: number;
  /** Forget the oldest entries beyond this many bytes of kept content. */
  readonly maxBytes: number;
}

/** The rows of the journal. Each method is one transaction. */
export interface JournalStore {
  /** Write the intent down, before anything is touched. */
  begin(entry: NewJournalEntry): Promise<number>;
  /** All is prepared; synced to disk before the first step is taken. */
  commit(id: number): Promise<void>;
  /** All steps are taken; what they invert is marked as undone, or as done again. */
  finish(id: number): Promise<void>;
  /** Nothing of it remains. */
  discard(id: number): Promise<void>;
  /** Neither forward nor back worked; kept for a person to look at. */
  fail(id: number): Promise<void>;
  /** Entries that are neither done nor discarded, oldest first. */
  unfinished(): Promise<readonly JournalEntry[]>;
  /** The finished entries that are meant, newest first, with those of their changes that still stand. */
  select(selector: ChangeSelector): Promise<readonly JournalEntry[]>;
  history(query: HistoryQuery): Promise<readonly ChangeRecord[]>;
  /** Forget finished changes, of one path or all; returns how many. */
  clear(path?: string): Promise<number>;
  /** Forget what is past the limits, the oldest first; returns how many entries. */
  prune(limits: JournalLimits, now: number): Promise<number>;
  /** Bytes of content that entries hold on to. */
  usage(): Promise<{ readonly entries: number; readonly bytes: number }>;
  /** Which of these contents nobody holds on to any more. */
  unreferenced(hashes: readonly string[]): Promise<readonly string[]>;
}
