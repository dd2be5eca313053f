/** One line of a hunk: kept, taken out or put in. */
export interface HunkLine {
  readonly sign: " " | "-" | "+";
  /** Without its line end, but with a carriage return where the diff shows one. */
  readonly text: string;
  /** It is followed by "\ No newline at end of file". */
  readonly noNewline: boolean;
}

/** A change of neighboring lines. */
export interface Hunk {
  /** The line of the old file at which it should begin, as far as the diff says. */
  readonly oldStart?: number;
  /** Lines above the hunk that say what it belongs to, outermost first; only in the `*** Begin Patch` format. */
  readonly headings?: readonly string[];
  /** Its old lines are the last ones of the file. */
  readonly atEnd?: boolean;
  readonly lines: readonly HunkLine[];
  /** The hunk as it was written. */
  readonly source: () => string;
}

export interface FilePatch {
  /**
   * Hunks in the `*** Begin Patch` format have no line numbers: their order and headings say where they belong, and
   * old lines that match exactly count as seen. @default "unified"
   */
  readonly style?: "unified" | "begin-patch";
  readonly kind: "modify" | "create" | "delete" | "rename" | "copy";
  /** Absent where the file is created. */
  readonly oldPath?: string;
  /** Absent where the file is deleted. */
  readonly newPath?: string;
  /** File modes in octal, as git writes them. */
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly hunks: readonly Hunk[];
}
