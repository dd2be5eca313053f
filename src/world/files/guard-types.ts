import type {
  DirectoryEntry,
  FileChange,
  FileStat,
  OpenFile,
  PathVerdict,
  ReadRange,
  WalkBatch,
  WalkOptions,
  WriteOptions,
} from "../../contract/ports/files.js";
import type { Opener } from "./opener.js";
import type { PathRules } from "./path-rules.js";
import type { RenameOptions } from "./rename-path.js";
import type { StagedWrite, StageSource } from "./stage-write.js";

export interface GuardOptions {
  readonly rules: PathRules;
  /** Bytes; larger files are read by ranges only and not written. */
  readonly maxFileSize: number;
  /** Flush changes to the disk before answering. @default true */
  readonly sync?: boolean;
  /** A fresh name for a file that is being written. @default ".tenon-<random>.tmp" */
  readonly tempName?: () => string;
  /** @default descriptors on Linux, names elsewhere */
  readonly opener?: Opener;
}

/** An open regular file and its descriptor. */
export interface GuardedFile extends OpenFile {
  readonly fd: number;
  /** The absolute real path. */
  readonly real: string;
}

/**
 * A judged directory, open, and a name in it. Use `at` for every step, never the path again, and open
 * with O_NOFOLLOW (or O_EXCL): the name itself may have become a link since.
 */
export interface ParentHandle {
  readonly name: string;
  /** The directory's absolute real path. */
  readonly realDir: string;
  /** The name's absolute real path. */
  readonly real: string;
  /** What stood at the name when the directory was opened, a link itself included. */
  readonly stat: FileStat | null;
  /** A path for node:fs that reaches a name in this very directory. @default the handle's own name */
  at(name?: string): string;
  /** Whether the directory still stands where it was judged. */
  isInPlace(): boolean;
  close(): void;
}

/** Deleting only what is still as it was. */
export interface RemovalOptions {
  readonly ifIdentity?: string;
  readonly signal?: AbortSignal;
}

/**
 * File operations that judge a path at the moment it is used and act on exactly what was judged.
 * All throw tool errors that name the path as the caller wrote it.
 */
export interface Guard {
  /** The real path of the workspace. */
  readonly root: string;
  readonly rules: PathRules;
  /** How paths are held: by descriptor (no race) or by name (see portable-opener.ts). */
  readonly kind: Opener["kind"];
  /** The verdict, from names alone; nothing is opened. */
  check(path: string, access?: "read" | "write"): PathVerdict;
  /** One spelling for every path to the same place, for locks and policy; never throws. */
  canonical(path: string): string;
  /** A real path, relative to the workspace where it lies inside. */
  display(real: string): string;
  openRead(path: string): GuardedFile;
  /** `null` where nothing is there. `follow: false` looks at a link itself. */
  stat(path: string, options?: { follow?: boolean }): FileStat | null;
  read(path: string, range?: ReadRange): Promise<Uint8Array>;
  list(path: string): AsyncIterable<DirectoryEntry>;
  walk(path: string, options?: WalkOptions, signal?: AbortSignal): AsyncIterable<WalkBatch>;
  /** `create` makes missing parents; `follow` (default) goes through a link at the end of the path. */
  openParent(path: string, options?: { create?: boolean; follow?: boolean }): ParentHandle;
  /** Write a file's next content beside it; it takes its place on `commit`. */
  stage(path: string, source: StageSource, options?: WriteOptions): Promise<StagedWrite>;
  replaceFile(path: string, data: Uint8Array, options?: WriteOptions): Promise<FileStat>;
  appendFile(path: string, data: Uint8Array): Promise<FileStat>;
  copyFile(from: string, to: string, options?: { overwrite?: boolean }): Promise<FileStat>;
  makeDirectory(path: string): Promise<{ created: boolean }>;
  rename(from: string, to: string, options?: RenameOptions): Promise<void>;
  unlink(path: string, options?: RemovalOptions): Promise<void>;
  removeTree(path: string, options?: RemovalOptions): Promise<void>;
  watch(path: string, signal: AbortSignal): AsyncIterable<FileChange>;
  /** The same guard within these paths only. */
  narrow(paths: readonly string[]): Guard;
  /** The same guard, and only what passes may be read. */
  screen(readable: (path: string) => boolean): Guard;
}
