/** What another process needs to go on with a host's session of the 2025 revisions. */
export interface KnownSession {
  /** Whose token opened it. */
  readonly principal: string;
  /** The greeting of the host, which says what it can do. */
  readonly greeting: unknown;
  /** The session of the host behind it. */
  readonly session: string;
}

/** Where several servers keep which sessions there are, so that each can go on with any of them. */
export interface SessionDirectory {
  keep(id: string, known: KnownSession): Promise<void>;
  find(id: string): Promise<KnownSession | undefined>;
  remove(id: string): Promise<void>;
  /** Told when a host has ended a session at another server. */
  onRemoved?(listener: (id: string) => void): void;
}
