/** A run of lines that was shown to the model, as they were then. */
export interface SeenLines {
  /** Number of the first line; lines count from 1. */
  readonly start: number;
  /** The lines without their ends. */
  readonly lines: readonly string[];
}

/** A part of a line that was too long to be shown in one go. */
export interface SeenPart {
  readonly line: number;
  /** The first character that was shown; characters count from 1. */
  readonly char: number;
  readonly text: string;
  /** Whether the line ends with it. */
  readonly isEnd: boolean;
}

/** What a session knows of one file. */
export interface SeenFile {
  /** `FileStat.identity` of when it was last looked at: a quick look, never the verdict. */
  readonly identity: string;
  /** Runs in the order of their lines, none touching another; all of one version of the file. */
  readonly runs: readonly SeenLines[];
  /** Parts of lines that are not in `runs`, in their order. @default none */
  readonly parts?: readonly SeenPart[];
  /** Every line was shown. */
  readonly complete: boolean;
  /** The encoding that it was read in, where the reader named one. */
  readonly encoding?: string;
}

/** Lines that a tool just showed. */
export interface Sighting extends SeenLines {
  readonly identity: string;
  /** They are the whole file. */
  readonly complete: boolean;
  /** Parts of further lines. @default none */
  readonly parts?: readonly SeenPart[];
  /** The encoding that the reader named; none where it was found out. */
  readonly encoding?: string;
  /** The path is that of an open file, so that its links need not be followed again. @default false */
  readonly isRealPath?: boolean;
}

/** What a session has read: edits lean on it. Paths are taken as `Files` takes them, links resolved. */
export interface SeenFiles {
  /** Another number whenever what is known changed. */
  readonly version?: number;
  /** Bring back what an earlier process of the same session knew of a file; returns what is known, as `get` does from then on. */
  load(path: string): Promise<SeenFile | undefined>;
  get(path: string): SeenFile | undefined;
  /** Lines were shown; what was seen of the same version stays, of another version only where it still fits. */
  note(path: string, sighting: Sighting): void;
  /** Tenon itself wrote the file: what the session knows of it now. */
  set(path: string, file: SeenFile): void;
  forget(path: string): void;
  /** The file has another name now. */
  move(from: string, to: string): void;
}
