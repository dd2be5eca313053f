import type { BlobRef } from "./blobs.js";

/** Owner and permissions; what is not given is as the system makes it. */
export interface NodeAttributes {
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
}

/** A file as the journal remembers it. */
export interface FileImage extends NodeAttributes {
  readonly type: "file";
  /** Empty for a large file that was only moved, or of which only the difference to what took its place is kept. */
  readonly hash: string;
  readonly size: number;
  /** Of a large file that was moved: its time of modification in nanoseconds. */
  readonly modified?: string;
  /** How it comes out of the content that took its place, where it is not kept whole. */
  readonly delta?: ContentDelta;
}

/** A former content as the later one with a part of it replaced. */
export interface ContentDelta {
  /** Bytes at the start and at the end that both have. */
  readonly prefix: number;
  readonly suffix: number;
  /** What stood between them: the bytes themselves, in Base64, or the hash they are kept under. */
  readonly middle: { readonly bytes: string } | { readonly hash: string };
}

/** A symbolic link; the target's bytes are written as Latin-1. */
export interface LinkImage {
  readonly type: "symlink";
  readonly target: string;
  readonly size: number;
}

/** A directory with all below it. */
export interface DirectoryImage extends NodeAttributes {
  readonly type: "directory";
  /** Stands for names, kinds, modes and contents below; `null` for an empty directory. */
  readonly tree: string | null;
  /** Hash of the kept list of what is below. */
  readonly manifest?: string;
  /** Hash of the kept contents, one after another. */
  readonly pack?: string;
  readonly size: number;
}

export type NodeImage = FileImage | LinkImage | DirectoryImage;

/** One name that gets another content, appears or goes. */
export interface SetStep {
  readonly kind: "set";
  /** Absolute and real, as all paths of the journal. */
  readonly path: string;
  readonly before: NodeImage | null;
  readonly after: NodeImage | null;
  /** Where the new content is prepared, or the old one waits to be removed. */
  readonly temp: string;
}

/** One name that becomes another. */
export interface MoveStep {
  readonly kind: "move";
  readonly from: string;
  readonly to: string;
  /** Device and inode of what moves: they stay the same. Unknown for what an earlier step made. */
  readonly inode: string | null;
  /** What moves; of a directory only that it is one. */
  readonly moved: FileImage | LinkImage | { readonly type: "directory"; readonly size: number };
  readonly overwritten: NodeImage | null;
  /** Where what is overwritten waits until all is done. */
  readonly temp: string;
}

/** What a rename step moves. */
export interface RenamedNode {
  readonly type: "file" | "directory" | "symlink" | "special";
  readonly size: number;
  /** Of a file: the hash of its content, if it was small enough to be read. */
  readonly hash?: string;
  /** Of a file: its time of modification in nanoseconds. */
  readonly modified?: string;
  /** Of a directory in the workspace: from when on others change what is in it, in nanoseconds. */
  readonly since?: string;
  /** Of a small file: the hash of the blob that has its content, and where it begins there. */
  readonly pack?: string;
  readonly offset?: number;
  /** Of a symbolic link; bytes are written as Latin-1. */
  readonly target?: string;
  /** The permissions of a directory that its owner may not change, which is given that right while it is renamed. */
  readonly mode?: number;
}

/**
 * A file, link or directory that goes, by one rename, from the layer of a command or the journal's store into the
 * workspace, or from the workspace into that store.
 */
export interface RenameStep {
  readonly kind: "rename";
  /** In the workspace. */
  readonly path: string;
  /** The other end. */
  readonly stored: string;
  readonly into: "workspace" | "store";
  /** Device and inode: they stay the same. Unknown for what an earlier step creates. */
  readonly inode: string | null;
  readonly node: RenamedNode;
  /** It can be created again, as installed packages can, so it is dropped from the store before anything else. */
  readonly bulk?: boolean;
}

/** Other permissions of a directory that stays. */
export interface ModeStep {
  readonly kind: "mode";
  readonly path: string;
  readonly before: number;
  readonly after: number;
}

/** One reversible step of a change. */
export type JournalStep = SetStep | MoveStep | RenameStep | ModeStep;

/** Who changed something, on whose behalf. */
export interface ChangeOrigin {
  readonly callId: string;
  /** The call of the command that made the changes, where another call decided to commit them. */
  readonly commandCallId?: string;
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

/**
 * `staging`: nothing has changed yet; `committing`: some steps may be taken; `cleaning`: all are, what
 * they put aside is being removed; `failed`: neither way worked.
 */
export type JournalPhase = "staging" | "committing" | "cleaning" | "done" | "failed";

export interface JournalEntry extends Omit<NewJournalEntry, "changes"> {
  readonly id: number;
  readonly phase: JournalPhase;
  /** How many of the first changes a rollback has still to look at; all, where none began. */
  readonly standing?: number;
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
  /** The call of the command that made the change, where another call decided to commit it. */
  readonly commandCallId?: string;
  readonly taskId?: string;
  readonly sessionId: string;
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

/** Which changes of files are listed. */
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

/** A file that an undo brought back, by its path relative to the workspace. */
export interface UndoneFile {
  readonly path: string;
  /** Bytes that it has now; 0 where it is gone. */
  readonly restoredContentLen: number;
  /** Bytes that it had before the undo; 0 where it was gone. */
  readonly previousContentLen: number;
  /** Others had changed it elsewhere since; what they changed is still there. */
  readonly merged?: boolean;
  /** Others had changed the same lines since; a person had their version replaced. */
  readonly forced?: boolean;
  /** Why it was left as it is. */
  readonly notRestored?: string;
}

/** How changes are taken back. */
export interface UndoOptions {
  /**
   * Bring the former content back even where others changed the same lines since. What they made of it is kept in the
   * journal, so that the undo itself can be undone.
   */
  readonly force?: boolean | undefined;
}

/** What an undo would do. */
export interface UndoPreview {
  readonly files: readonly UndoneFile[];
  /** Of the texts among them, from what is there to what will be. */
  readonly diff: string;
}

/** What tools may ask of the journal. */
export interface UndoJournal {
  /** Take changes back; refused with a diff where someone changed the file since. */
  undo(what: ChangeSelector, origin: ChangeOrigin): Promise<readonly UndoneFile[]>;
  /** Newest first. */
  history(query?: HistoryQuery): Promise<readonly ChangeRecord[]>;
  /** Forget what could be undone, of one path or all; returns how many changes. */
  clear(path?: string): Promise<number>;
}

/** The steps as they are in the end; `undefined` where one is as it was written down before. */
export type FinalSteps = readonly (JournalStep | undefined)[] | undefined;

/** The rows of the journal. Each method is one transaction. */
export interface JournalStore {
  /** The same rows for the holder of a lock: every write is refused once that lock is lost. */
  fenced(fence: number): JournalStore;
  /** Write the intent down, before anything is touched; where all is `prepared`, synced to disk in place of a commit. */
  begin(entry: NewJournalEntry, options?: { readonly prepared?: boolean }): Promise<number>;
  /** All is prepared; synced to disk before the first step is taken. */
  commit(id: number, steps: FinalSteps): Promise<void>;
  /** All steps are taken; synced to disk before the first of what they put aside is removed. */
  clean(id: number): Promise<void>;
  /**
   * All is over; what the steps invert is marked as undone, or as done again. Returns the contents that nobody needs
   * any more because the new change holds a difference to them.
   */
  finish(
    id: number,
    options?: { readonly durable?: boolean; readonly steps?: FinalSteps },
  ): Promise<readonly string[]>;
  /** All but the first `standing` steps are taken back; synced to disk before the next one is. */
  retreat(id: number, standing: number): Promise<void>;
  /** Nothing of it remains. */
  discard(id: number): Promise<void>;
  /** Neither forward nor back worked; kept for a person to look at. */
  fail(id: number): Promise<void>;
  /** Entries that are neither done nor discarded, oldest first. */
  unfinished(): Promise<readonly JournalEntry[]>;
  /** The finished entries that are meant, newest first, with those of their changes that still stand. */
  select(selector: ChangeSelector): Promise<readonly JournalEntry[]>;
  /** Whether there are changes that are meant, all of them undone. */
  wasUndone(selector: ChangeSelector): Promise<boolean>;
  history(query: HistoryQuery): Promise<readonly ChangeRecord[]>;
  /** How a path was changed after a change of it, oldest first, undone changes and undos among them. */
  changesAfter(
    path: string,
    change: { readonly entry: number; readonly seq: number },
  ): Promise<readonly JournalStep[]>;
  /** Forget finished changes, of one path or all; returns how many. */
  clear(path?: string): Promise<number>;
  /** Forget what is past the limits, the oldest first; returns how many entries. */
  prune(limits: JournalLimits, now: number): Promise<number>;
  /** Bytes of content that entries hold on to. */
  usage(): Promise<{ readonly entries: number; readonly bytes: number }>;
  /** Which of these contents nobody holds on to any more. */
  unreferenced(hashes: readonly string[]): Promise<readonly string[]>;
}
