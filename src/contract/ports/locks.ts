/** One advisory lock that is asked for. */
export interface LockRequest {
  /** What is locked: an absolute path, or any other word that all sides agree on. */
  readonly key: string;
  readonly mode: "shared" | "exclusive";
  /** The key stands for everything below it too (`key/…`). @default false */
  readonly tree?: boolean;
}

export interface LockOptions {
  /** How long to wait at most. @default 30000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Locks that are held until they are released. */
export interface HeldLocks {
  release(): Promise<void>;
}

/** A lock in the queue, as it is shown to a person. */
export interface LockInfo {
  readonly key: string;
  readonly mode: "shared" | "exclusive";
  readonly tree: boolean;
  readonly pid: number;
  readonly since: number;
}

/**
 * Advisory locks between all processes that share one state, granted in the order of asking.
 * All locks of one call to `acquire` are granted together, so such calls never deadlock.
 */
export interface LockStore {
  acquire(requests: readonly LockRequest[], options?: LockOptions): Promise<HeldLocks>;
  list(): Promise<readonly LockInfo[]>;
}
