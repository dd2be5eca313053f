import type { CommandResult } from "../../../contract/ports/processes.js";
import type { CallScope } from "../../../contract/session.js";

/** What lies at a path. `special`: a FIFO, socket or device. */
export type EntryKind = "file" | "folder" | "link" | "special";

/** A path relative to the workspace. */
export interface LayerPath {
  /** With `/` between names; bytes that are not valid UTF-8 are replaced by U+FFFD. */
  readonly path: string;
  /** The exact path, if a name in it is not valid UTF-8. */
  readonly bytes?: Buffer | undefined;
}

/** The attributes of an entry, as `lstat` reports them. */
export interface EntryState {
  readonly kind: EntryKind;
  /** Permissions including setuid, setgid and sticky bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly dev: bigint;
  readonly ino: bigint;
  /** Number of hard links. */
  readonly links: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/**
 * One change that a command made. To apply it: `created` puts the entry of the layer there, `changed` and `replaced` put
 * it in the place of the entry of the workspace, `removed` removes that, and `attributes` only sets mode and owner.
 */
export interface LayerChange extends LayerPath {
  /**
   * `changed`: a file or link has other content or attributes. `replaced`: the entry is of another kind, or a folder was
   * removed and created again, so that the folder of the layer is all there is. `attributes`: a folder that stays.
   */
  readonly kind: "created" | "changed" | "replaced" | "removed" | "attributes";
  /** The entry in the workspace now; `undefined` if nothing is there. */
  readonly before: EntryState | undefined;
  /** The entry in the layer; `undefined` if the command removed it. */
  readonly after: EntryState | undefined;
  /** A file or link whose content stays: the command only made hard links to it. */
  readonly isLinked?: boolean;
}

/** An entry below a folder that is in the layer as a whole. */
export interface LayerEntry extends LayerPath {
  /** The last name of its path. */
  readonly name: string;
  readonly kind: EntryKind;
  /** Permissions. Those of a file are missing where the sandbox keeps commands from setting setuid and setgid bits. */
  readonly mode?: number | undefined;
}

export interface LayerSize {
  /** Disk space, so that the holes of a sparse file do not count. */
  readonly bytes: number;
  readonly entries: number;
}

/** Who ran the command of a layer, and when. */
export interface LayerOrigin {
  readonly callId: string;
  readonly sessionId: string;
  /** The command line. */
  readonly command: string;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
}

/** The changes of one command, which are not in the workspace until they are committed. */
export interface CommandLayer extends LayerOrigin {
  /** Its folder name in the store, which cannot be guessed. */
  readonly id: string;
  /** Real absolute path of the workspace. */
  readonly workspace: string;
  /** Folder with the changed entries. */
  readonly upper: string;
  /** When the command was about to start, in nanoseconds by the clock of the file system. */
  readonly startedNs: bigint;
  /**
   * The changes, folders before what is in them. A folder that is wholly new, replaced or removed is one change.
   * Memory does not depend on the number of changes. Can be called again. With `assumeMerged`, it does not wait for the
   * list of folders that hide others, and takes it for empty.
   */
  changes(options?: { readonly assumeMerged?: boolean }): AsyncIterable<LayerChange>;
  /** Whether it is certain that no folder hides another one. */
  isMerged(): boolean;
  /**
   * All entries below a folder that is created or replaced, many at a time, folders before what is in them. What is in a
   * folder that its owner cannot read may be missing.
   */
  entriesBelow(folder: LayerPath): AsyncIterable<readonly LayerEntry[]>;
  /**
   * Make each entry of a replaced folder a change of its own, down to the given paths below it, so that some of them can
   * be committed without the others.
   */
  split(folder: LayerPath, paths: readonly string[]): Promise<void>;
  /** Forget that a path of a folder that was split was removed. */
  restore(path: LayerPath): Promise<void>;
  /** Where the entry lies in the layer: the argument for file system calls. */
  locate(path: LayerPath): string | Buffer;
  size(): Promise<LayerSize>;
  /**
   * Call a function when the command has ended, while its sandbox ends. It may never be called. Only of a layer whose
   * command is about to start.
   */
  onEnded?(act: () => void): void;
  /** Keep it after the call, for the reason, until it expires or is discarded. */
  keep(reason: string): Promise<void>;
  /**
   * Remove it; does nothing if it is already gone. With `inBackground`, what is in it is removed after this has resolved,
   * if need be by the next start.
   */
  discard(options?: { readonly inBackground?: boolean }): Promise<void>;
}

/** A layer that was kept, as listed by the store. */
export interface KeptLayer extends LayerOrigin {
  readonly id: string;
  /** Why it is kept, in words. */
  readonly reason: string;
  /** Unix time in milliseconds. */
  readonly keptAt: number;
  readonly expiresAt: number;
  readonly size: LayerSize;
}

/** The layers of a workspace that wait to be committed or discarded; other processes may share them. */
export interface LayerStore {
  /** Oldest first; expired ones are left out. */
  list(filter?: { readonly callId?: string | undefined }): Promise<readonly KeptLayer[]>;
  /** Throws a ToolResourceNotFoundError if it does not exist any more. */
  open(id: string): Promise<CommandLayer>;
}

/** How the command of a layer ended. */
export interface LayerRun {
  readonly scope: CallScope;
  /** `exit`: by itself, with any exit code. Otherwise it was stopped, so that nothing should be committed by itself. */
  readonly end: "exit" | "timeout" | "flooded" | "exceeded";
  readonly exitCode: number | null;
  /** The size limit that the layer exceeds, in words: nothing of it may be committed. */
  readonly overLimit: string | undefined;
  /** The command failed because of something that layers cannot do, and can be run again: nothing of it is committed. */
  readonly failedByLayer: boolean;
  /** Nothing shall be committed: the caller wants to see the changes first. */
  readonly dryRun: boolean;
  /** Whether it is certain that no process of the command was left when it ended. */
  readonly isQuiet: boolean;
}

/** What the commit adds to the result of the command. */
export type LayerOutcome = Partial<CommandResult>;

/**
 * Decide what becomes of the changes of a command that has ended. It owns the layer from then on: whatever happens, it
 * commits, keeps or discards it.
 */
export type CommitLayer = (layer: CommandLayer, run: LayerRun) => Promise<LayerOutcome>;

/** A command that was started on a layer. */
export type ExpectedRun = Pick<LayerRun, "scope" | "dryRun">;

/** Told of the layer of each command that was started. */
export type ExpectLayer = (layer: CommandLayer, run: ExpectedRun) => void;
