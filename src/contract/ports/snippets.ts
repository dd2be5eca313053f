/** A piece of code kept for later, without the code itself. Times are Unix milliseconds. */
export interface SnippetSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly language: string;
  readonly tags: readonly string[];
  /** Counts up with every save. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A saved piece of code. */
export interface Snippet extends SnippetSummary {
  readonly code: string;
}

/** What a snippet was before a later save. */
export interface SnippetVersion {
  readonly version: number;
  readonly code: string;
  readonly description: string;
  readonly language: string;
  readonly tags: readonly string[];
  readonly savedAt: number;
  readonly agent: string;
}

/** A snippet to save. */
export interface NewSnippet {
  readonly name: string;
  readonly code: string;
  readonly description: string;
  readonly language: string;
  readonly tags: readonly string[];
}

/** Which snippets are listed. */
export interface SnippetFilter {
  /** All of them, in any case. */
  readonly tags?: readonly string[] | undefined;
  readonly language?: string | undefined;
  /** Words, best match first. @default all, by name */
  readonly query?: string | undefined;
}

/** Pieces of code by name. */
export interface SnippetStore {
  /** Keep a snippet; one of that name is updated: its id, its time of creation and what it was before stay. */
  save(
    snippet: NewSnippet,
  ): Promise<{ readonly id: string; readonly name: string; readonly created: boolean }>;
  /** By name, else by id. */
  load(nameOrId: string): Promise<Snippet | undefined>;
  list(filter?: SnippetFilter): Promise<readonly SnippetSummary[]>;
  /** Earlier versions, newest first. */
  history(nameOrId: string): Promise<readonly SnippetVersion[]>;
  /** Forget a snippet with its history; what it was, or `undefined` where there was none. */
  remove(nameOrId: string): Promise<SnippetSummary | undefined>;
  /** Names that exist, for suggestions. */
  names(): Promise<readonly string[]>;
}
