import type {
  DirectoryEntry,
  FileChange,
  FileStat,
  LentFile,
  OpenFile,
  PathVerdict,
  ReadRange,
  WalkBatch,
  WalkOptions,
} from "../../contract/ports/files.js";
import type { Opener } from "./opener.js";
import type { PathRules } from "./path-rules.js";
import type { SpareMemory } from "./spare-memory.js";

export interface GuardOptions {
  readonly rules: PathRules;
  /** Bytes; larger files can only be read in ranges. */
  readonly maxFileSize: number;
  /** Flush new and deleted directories to the disk before returning. @default true */
  readonly sync?: boolean;
  /** @default descriptors on Linux, names elsewhere */
  readonly opener?: Opener;
  /** Shared with other guards. @default its own */
  readonly spare?: SpareMemory;
}

export interface GuardedFile extends OpenFile {
  readonly fd: number;
  /** The absolute real path. */
  readonly real: string;
}

/**
 * File operations that judge a path at the moment it is used and act on exactly what was judged.
 * All throw tool errors that name the path as the caller wrote it.
 */
export interface Guard {
  /** The real path of the workspace. */
  readonly root: string;
  readonly maxFileSize: number;
  readonly rules: PathRules;
  /** How paths are opened: by descriptor (no race) or by name (see portable-opener.ts). */
  readonly kind: Opener["kind"];
  /** The verdict by names alone; nothing is opened. */
  check(path: string, access?: "read" | "write", options?: { readonly follow?: boolean }): PathVerdict;
  /** The verdict by the text alone, without following links; nothing is looked up. */
  checkText(path: string, access?: "read" | "write"): PathVerdict;
  /** One spelling for all paths to the same file, for locks and policy; never throws. */
  canonical(path: string, isReal?: boolean): string;
  /** Show a real path, relative to the workspace where it is inside. */
  display(real: string): string;
  openRead(path: string): GuardedFile;
  /** `null` where nothing exists. `follow: false` returns the stat of a link itself. */
  stat(path: string, options?: { follow?: boolean }): FileStat | null;
  /**
   * One look at a file, without opening it; `null` where it is not a file, or a link. Its identity tells whether a file
   * that was read through the guard is still the same one, and nothing more: folders may be swapped meanwhile.
   */
  glance(path: string): FileStat | null;
  read(path: string, range?: ReadRange): Promise<Uint8Array>;
  /** Read a whole file into memory that is used again once it was given back. */
  lend(path: string): Promise<LentFile>;
  list(path: string): AsyncIterable<DirectoryEntry>;
  walk(path: string, options?: WalkOptions, signal?: AbortSignal): AsyncIterable<WalkBatch>;
  /** Make a directory and its missing parents; `created` is false where it existed already. */
  makeDirectory(path: string): Promise<{ created: boolean }>;
  /** Delete a directory and everything below it, or a file. */
  removeTree(path: string): Promise<void>;
  watch(path: string, signal: AbortSignal): AsyncIterable<FileChange>;
  /** The same guard, restricted to these paths. */
  narrow(paths: readonly string[]): Guard;
  /** The same guard, restricted to reading paths for which `readable` returns true. */
  screen(readable: (path: string) => boolean): Guard;
}
