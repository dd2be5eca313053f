export type EntryType = "file" | "directory" | "symlink" | "other";

/** What a look at a path shows. Times are Unix milliseconds. */
export interface FileStat {
  readonly type: EntryType;
  readonly size: number;
  readonly modified: number;
  readonly created: number;
  readonly mode: number;
  /** dev, inode, mtime and ctime in ns, and size: equal ids mean an unchanged file. */
  readonly identity: string;
}

export interface DirectoryEntry {
  readonly name: string;
  /** Relative to the workspace, or absolute where it lies in another allowed path. */
  readonly path: string;
  readonly type: EntryType;
}

export interface ReadRange {
  readonly offset?: number;
  readonly length?: number;
}

export interface WriteOptions {
  /** Refuse where the file exists already. */
  readonly create?: boolean;
  /** Refuse where the file no longer has this identity. */
  readonly ifIdentity?: string;
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
  | { readonly op: "append"; readonly path: string; readonly data: Uint8Array }
  | {
      readonly op: "delete";
      readonly path: string;
      readonly recursive?: boolean;
      readonly ifIdentity?: string;
    }
  | { readonly op: "move"; readonly from: string; readonly to: string; readonly overwrite?: boolean }
  | { readonly op: "copy"; readonly from: string; readonly to: string; readonly overwrite?: boolean }
  | { readonly op: "mkdir"; readonly path: string };

/** The verdict on a path, given without touching anything. */
export type PathVerdict =
  | { readonly allowed: true; readonly path: string }
  | { readonly allowed: false; readonly code: string; readonly reason: string };

/**
 * The guarded files. Every path is judged by the rules at the moment it is opened,
 * every mutation is journalled before it happens and can be undone.
 */
export interface Files {
  /** Absolute path of the workspace. */
  readonly root: string;
  check(path: string, access?: "read" | "write"): PathVerdict;
  stat(path: string): Promise<FileStat | null>;
  read(path: string, range?: ReadRange): Promise<Uint8Array>;
  /** Chunks of a file of any size, with its identity at opening. */
  open(path: string): Promise<OpenFile>;
  list(path: string): AsyncIterable<DirectoryEntry>;
  write(path: string, data: Uint8Array, options?: WriteOptions): Promise<FileStat>;
  append(path: string, data: Uint8Array): Promise<FileStat>;
  mkdir(path: string): Promise<{ created: boolean }>;
  move(from: string, to: string, options?: { overwrite?: boolean }): Promise<void>;
  copy(from: string, to: string, options?: { overwrite?: boolean }): Promise<void>;
  delete(path: string, options?: { recursive?: boolean }): Promise<void>;
  /** All mutations, or none of them. */
  apply(mutations: readonly FileMutation[]): Promise<void>;
  watch(path: string, signal: AbortSignal): AsyncIterable<FileChange>;
}

/** An open regular file; reads go through its descriptor. */
export interface OpenFile {
  readonly stat: FileStat;
  /** The real path, relative to the workspace where it lies inside. */
  readonly path: string;
  readInto(buffer: Uint8Array, position: number): number;
  close(): void;
}
