/** A change that a command made and that was held back: it is not in the workspace until a person agrees. */
export interface HeldItem {
  readonly id: string;
  /** Absolute. */
  readonly path: string;
  /** Of the call that made it. */
  readonly callId: string;
  readonly sessionId: string;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly reason: string;
  /** The pattern or the kind of git file that the path counts for. */
  readonly rule: string;
  readonly change: "new" | "changed" | "removed";
  /** `in-place`: too large or too special to keep elsewhere, so it stays in the same folder under another name. */
  readonly kind: "file" | "link" | "in-place" | "nothing";
  readonly mode: number;
  readonly bytes: number;
  /** Of the content. */
  readonly sha256: string;
  /** Hash of what was left at the path; null where nothing was. */
  readonly left: string | null;
  /** Where it lies, for `in-place`. */
  readonly asideAs?: string | undefined;
}

/** What a command's result says of a change that was held back. */
export interface HeldBack {
  /** Relative to the workspace where it lies there. */
  readonly path: string;
  readonly reason: string;
  readonly rule: string;
}

/** An item with what it holds and what lies at its place now. */
export interface HeldView extends HeldItem {
  /** Relative to the workspace where it lies there. */
  readonly shownPath: string;
  /** As text, or where the link leads; `undefined` for what is not text. */
  readonly text: string | undefined;
  /** What lies at the path now, as text. */
  readonly present: string | undefined;
  /** A unified diff from what lies there to what is held back. */
  readonly diff: string;
}

/** What commands changed and what was held back of it. */
export interface Quarantine {
  /** Oldest first. */
  list(filter?: { readonly callId?: string | undefined }): Promise<readonly HeldItem[]>;
  show(id: string): Promise<HeldView>;
  /** Put items where they were meant to be; all or none. Refuses where something else lies there by now. */
  restore(ids: readonly string[]): Promise<readonly HeldItem[]>;
  discard(ids: readonly string[]): Promise<readonly HeldItem[]>;
}
