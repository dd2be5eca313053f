import type { Clock } from "../../contract/ports/clock.js";
import { journalLock, type LockStore } from "../../contract/ports/locks.js";

/** The lock while it is held. */
export interface HeldChangeLock {
  /** A number by which the store refuses writes of a holder that lost the lock; absent without shared locks. */
  readonly fence?: number;
  /** Throws if another process has taken the lock over. */
  readonly check: () => Promise<void>;
}

/** Run a function while holding the lock. */
export type WithChangeLock = <Result>(
  body: (turn: HeldChangeLock) => Promise<Result>,
  signal?: AbortSignal,
) => Promise<Result>;

export interface ChangeLockOptions {
  readonly locks: LockStore | undefined;
  /** Identifies the workspace. */
  readonly place: string;
  readonly clock: Clock;
}

const maxWaitMs = 20_000;

/**
 * Allows one change at a time: in this process in the order of requests, between processes by a lock in the
 * state. No other lock is acquired while it is held, so it cannot deadlock.
 */
export function createChangeLock({ locks, place, clock }: ChangeLockOptions): WithChangeLock {
  let last: Promise<unknown> = Promise.resolve();
  return (body, signal) => {
    const asked = clock.monotonic();
    const turn = last.then(async () => {
      if (locks === undefined) return body({ check: async () => {} });
      // Time spent waiting in this process counts: the wait is limited from the request on.
      const timeoutMs = Math.max(0, maxWaitMs - (clock.monotonic() - asked));
      return withLock(locks, { place, timeoutMs, signal }, body);
    });
    last = turn.catch(() => {});
    return turn;
  };
}

interface LockRequest {
  readonly place: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

async function withLock<Result>(
  locks: LockStore,
  { place, timeoutMs, signal }: LockRequest,
  body: (turn: HeldChangeLock) => Promise<Result>,
): Promise<Result> {
  const options = signal === undefined ? { timeoutMs } : { timeoutMs, signal };
  const held = await locks.acquire([journalLock(place)], options);
  try {
    return await body(held);
  } finally {
    // The change is complete either way; a lock that cannot be released now expires.
    await held.release().catch(() => {});
  }
}
