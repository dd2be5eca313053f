import type { Taint } from "./field.js";

/** A stretch of a word. */
export interface Piece {
  readonly text: string;
  /** Neither split nor taken as a glob. */
  readonly quoted?: boolean | undefined;
  /** Comes from an expansion that is split at blanks. */
  readonly split?: boolean | undefined;
  /** A glob, written without quotes. */
  readonly glob?: boolean | undefined;
  /** Only known when it runs; `text` is how it was written. */
  readonly unknown?: boolean | undefined;
  readonly guess?: string | undefined;
  /** `text` is only likely. */
  readonly unsure?: boolean | undefined;
  /** Comes from `$`, a backtick or `~`. */
  readonly moved?: boolean | undefined;
  /** The output of a command in `$(…)`. */
  readonly substituted?: boolean | undefined;
  /** The word ends before this piece, as between the words of `"$@"`. */
  readonly breakBefore?: boolean | undefined;
  readonly taint?: Taint | undefined;
}
