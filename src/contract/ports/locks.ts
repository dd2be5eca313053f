/** One advisory lock that is asked for. */
export interface LockRequest {
  /** What is locked: an absolute path, or any other word that all sides agree on. */
  readonly key: string;
  readonly mode: "shared" | "exclusive";
  /** The key stands for everything below it too (`key/…`). @default false */
  readonly tree?: boolean;
}

export interface LockOptions {
  /** How long to wait at most, from the asking. @default 20000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Locks that are held until they are released, or until their holder gave no sign of life for 10 s: then
 * a waiting process takes them over. A holder that was stopped for so long learns it from `check`, and
 * from every write that carries its fence.
 */
export interface HeldLocks {
  /** A number that only grows from holder to holder; writes that carry it are refused once the locks are lost. */
  readonly fence: number;
  /** Aborted when it shows that the locks were lost. */
  readonly lost: AbortSignal;
  /** Throws where the locks were lost. Costs nothing as long as a sign of life was given just before. */
  check(): Promise<void>;
  /** Whether the locks still stand and nobody queues behind them, so that they can be kept for the next use. */
  isAlone(): Promise<boolean>;
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

/** The lock of one place's journal: changes of files in different places do not wait for each other. */
export function journalLock(place: string): LockRequest {
  return { key: place === "" ? "journal" : `journal:${place}`, mode: "exclusive" };
}
