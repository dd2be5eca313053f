/** What is known of an output when it begins. */
export interface OutputKind {
  /** A text, given back as it is; else what a program wrote to a terminal, cleaned when it is read. @default false */
  readonly exact?: boolean | undefined;
  /** It came from outside: data, not instructions. @default false */
  readonly untrusted?: boolean | undefined;
}

/** An output that is stored whole besides its answer, until it expires. */
export interface KeptOutput extends OutputKind {
  /** Under which `read_result` finds it. */
  readonly handle: string;
  readonly bytes: number;
  /** Bytes of its middle that were dropped because it grew over the cap. */
  readonly dropped: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Takes an output of any size as it comes. */
export interface OutputWriter {
  /** Under which what came so far can be read already. */
  readonly handle: string;
  /** Takes a copy; where it gives a promise, the disk is behind: wait before the next one. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  finish(): Promise<KeptOutput>;
  /** Forget it; harmless after `finish`. */
  abort(): void;
}

/** One page of an output, by lines. */
export interface OutputPage {
  readonly text: string;
  /** Number of the first line, from 1. */
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines: number;
  /** More lines follow. */
  readonly more: boolean;
  /** The byte after the last one of the page, where something follows. */
  readonly nextOffset?: number | undefined;
  /** It came from outside. */
  readonly untrusted?: boolean | undefined;
}

/** A line of a stored output that matched. */
export interface OutputMatch {
  readonly line: number;
  readonly text: string;
}

/** Outputs too large for an answer; each belongs to the session that made it. */
export interface Outputs {
  create(kind?: OutputKind): OutputWriter;
  describe(handle: string): Promise<KeptOutput | undefined>;
  /**
   * A page of whole lines, at most `maxChars` characters (a longer line is cut and says so); from `offset` on,
   * a byte, as many characters as fit, wherever lines end.
   */
  page(
    handle: string,
    options?: { startLine?: number; endLine?: number; maxChars?: number; offset?: number | undefined },
  ): Promise<OutputPage>;
  /** Lines that hold the text, taken literally. */
  search(
    handle: string,
    text: string,
    options?: { limit?: number; ignoreCase?: boolean },
  ): Promise<{
    readonly matches: readonly OutputMatch[];
    readonly truncated: boolean;
    /** It came from outside. */
    readonly untrusted?: boolean | undefined;
  }>;
}
