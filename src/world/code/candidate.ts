/** A search result before its lines are read; results are in display order. */
export interface Candidate {
  /** As the call's files take it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** How columns are counted: ripgrep counts bytes of UTF-8. */
  readonly columnsIn: "bytes" | "characters";
  readonly kind: string;
  /** The name expected there, and the version of the file it was found in. */
  readonly expected?: { readonly name: string; readonly size: number; readonly changed: number };
}

/** Candidates, and what a reader should know of them. */
export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** There may be more. */
  readonly more: boolean;
  readonly notes: readonly string[];
}

/** Added to results found by a direct search because the index is not ready. */
export const buildingNote = "The index is being built: files were searched directly meanwhile.";

export const noCandidates: Candidates = { candidates: [], more: false, notes: [] };
