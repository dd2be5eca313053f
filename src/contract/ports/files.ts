import type { ChangeRecord, ChangeSelector, HistoryQuery, UndoneFile, UndoPreview } from "./journal.js";

/** What an entry of a directory is. */
export type EntryType = "file" | "directory" | "symlink" | "other";

/** The stat of a path. Times are Unix milliseconds. */
export interface FileStat {
  readonly type: EntryType;
  readonly size: number;
  readonly modified: number;
  readonly created: number;
  /** When its content, name or rights last changed; no program can set it. */
  readonly changed: number;
  readonly mode: number;
  /** dev, inode, mtime and ctime in ns, and size: equal ids mean an unchanged file. */
  readonly identity: string;
}

/** One entry of a directory. */
export interface DirectoryEntry {
  readonly name: string;
  /** Relative to the workspace, or absolute where it lies in another allowed path. */
  readonly path: string;
  readonly type: EntryType;
}

/** How a tree is walked. */
export interface WalkOptions {
  /** Leave out what .gitignore files and .git/info/exclude name, and .git itself. @default true */
  readonly ignore?: boolean;
  /** Levels below the path; 1 is its own entries. @default all */
  readonly depth?: number;
  /** Look up the size and time of each entry. @default false */
  readonly stats?: boolean;
  /** With `stats`: when it last changed, too. @default false */
  readonly changes?: boolean;
  /** Which entries are wanted; paths are relative to where the walk began. @default all */
  readonly wants?: (entry: DirectoryEntry) => boolean;
  /** Whether anything below a directory can be wanted. @default yes */
  readonly enters?: (path: string) => boolean;
}

/** An entry that a walk met. */
export interface WalkEntry extends DirectoryEntry {
  readonly size?: number;
  /** Unix milliseconds. */
  readonly modified?: number;
  /** As in `FileStat`; only where it was asked for. */
  readonly changed?: number;
}

/** Some entries, and how many were left out since the walk began. */
export interface WalkBatch {
  readonly entries: readonly WalkEntry[];
  /** Left out by ignore files. */
  readonly ignored: number;
  /** Their paths are longer than the system takes, so no tool could use them. */
  readonly unreachable: number;
  /** Directories that could not be read. */
  readonly unreadable: number;
}

/** A part of a file, in bytes. */
export interface ReadRange {
  readonly offset?: number;
  readonly length?: number;
}

/** How a file is written. */
export interface WriteOptions {
  /** Refuse where the file exists already. */
  readonly create?: boolean;
  /** Refuse where the file no longer has this identity. */
  readonly ifIdentity?: string;
  /** Refuse where the file no longer holds just these bytes. */
  readonly ifContent?: Uint8Array;
  readonly mode?: number;
}

/** What happened below a watched path. */
export interface FileChange {
  readonly path: string;
  readonly kind: "changed" | "renamed";
}

/** One mutation of a set that happens whole or not at all. */
export type FileMutation =
  | {
      readonly op: "write";
      readonly path: string;
      readonly data: Uint8Array;
      readonly options?: WriteOptions;
    }
  | {
      /** Replace parts of a file that holds just `before`; splices ascend and never overlap. */
      readonly op: "splice";
      readonly path: string;
      readonly before: Uint8Array;
      readonly splices: readonly FileSplice[];
      readonly mode?: number;
    }
  | {
      readonly op: "append";
      readonly path: string;
      readonly data: Uint8Array;
      readonly ifIdentity?: string;
    }
  | {
      readonly op: "delete";
      readonly path: string;
      readonly recursive?: boolean;
      readonly ifIdentity?: string;
      readonly ifContent?: Uint8Array;
    }
  | ({ readonly op: "move" } & Transfer)
  | ({ readonly op: "copy" } & Transfer)
  | { readonly op: "mkdir"; readonly path: string };

/** Bytes that are taken out, and what takes their place. */
export interface FileSplice {
  readonly start: number;
  readonly end: number;
  readonly data: Uint8Array;
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly overwrite?: boolean;
  /** Refuse where what is at `from` no longer has this identity. */
  readonly ifIdentity?: string;
}

/** The verdict on a path, given without touching anything. */
export type PathVerdict =
  | { readonly allowed: true; readonly path: string }
  | { readonly allowed: false; readonly code: string; readonly reason: string };

/**
 * The guarded files. Every path is judged by the rules at the moment it is opened,
 * every mutation is recorded in the journal before it happens and can be undone.
 */
export interface Files {
  /** Absolute path of the workspace. */
  readonly root: string;
  /** Largest file in bytes that is read or written as a whole. @default none */
  readonly maxFileSize?: number;
  /**
   * @param options.follow Judge what a link at the end of the path leads to, not the link itself. @default true
   * @param options.links `false` for a path that has no links: it is judged as it is written, and nothing is looked up. @default true
   */
  check(
    path: string,
    access?: "read" | "write",
    options?: { readonly follow?: boolean; readonly links?: boolean },
  ): PathVerdict;
  stat(path: string): Promise<FileStat | null>;
  /** The existing path that was probably meant by one where nothing exists. */
  nearest?(path: string): Promise<string | undefined>;
  read(path: string, range?: ReadRange): Promise<Uint8Array>;
  /** Read a whole file into memory that can be used again for the next large file. */
  lend?(path: string): Promise<LentFile>;
  /** Chunks of a file of any size, with its identity at opening. */
  open(path: string): Promise<OpenFile>;
  list(path: string): AsyncIterable<DirectoryEntry>;
  /**
   * Everything below a directory, in batches as they are found: each directory's own entries first, in
   * the order of their names. Links are reported, never followed; what this call may not read is left out.
   */
  walk(path: string, options?: WalkOptions): AsyncIterable<WalkBatch>;
  write(path: string, data: Uint8Array, options?: WriteOptions): Promise<FileStat>;
  append(path: string, data: Uint8Array): Promise<FileStat>;
  mkdir(path: string): Promise<{ created: boolean }>;
  move(from: string, to: string, options?: { overwrite?: boolean }): Promise<void>;
  copy(from: string, to: string, options?: { overwrite?: boolean }): Promise<void>;
  delete(path: string, options?: { recursive?: boolean }): Promise<void>;
  /**
   * All mutations, or none of them. A function is asked for them while no other change can happen, in no
   * process; it may look at files, but must not change any.
   */
  apply(mutations: readonly FileMutation[] | (() => Promise<readonly FileMutation[]>)): Promise<void>;
  /** Take changes back. @param what @default the last change of this session that still stands */
  undo(what?: ChangeSelector): Promise<readonly UndoneFile[]>;
  /** The paths that `undo` would change. */
  touchedBy(what?: ChangeSelector): Promise<readonly string[]>;
  /** What `undo` would do; refused where it would be. */
  previewUndo(what?: ChangeSelector): Promise<UndoPreview>;
  /** Changes of the files that may be seen here, newest first. */
  history(query?: HistoryQuery): Promise<readonly ChangeRecord[]>;
  /** Forget what could be undone, of one path or all; returns how many changes. */
  clearHistory(path?: string): Promise<number>;
  watch(path: string, signal: AbortSignal): AsyncIterable<FileChange>;
}

/** The content of a file, in memory that can be used again. */
export interface LentFile {
  readonly bytes: Uint8Array;
  /** The file that was read, as it was when it was opened. */
  readonly stat: FileStat;
  /** Let the memory be used again. The bytes must not be read after that; if it is never called, they stay valid. */
  readonly giveBack: () => void;
}

/** An open regular file; reads go through its descriptor. */
export interface OpenFile {
  readonly stat: FileStat;
  /** The real path, relative to the workspace where it lies inside. */
  readonly path: string;
  readInto(buffer: Uint8Array, position: number): number;
  /** How the open file looks now. */
  look(): FileStat;
  close(): void;
}
