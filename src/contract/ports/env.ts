/** A session's own environment: seen by its later calls, never the host process's. */
export interface SessionEnv {
  /** The value, or `null`. Secret-looking names are refused unless allowed. */
  get(key: string): string | null;
  /** Set it and return what was there before. */
  set(key: string, value: string): string | null;
  /** Resolves when all set variables are stored for the session; rejects if they could not be stored. */
  kept?(): Promise<void>;
  entries(): ReadonlyMap<string, string>;
  /** Names that were set since the session began: they can change what its commands do. */
  readonly changed?: ReadonlySet<string>;
}
