import type { Clock } from "../../contract/ports/clock.js";
import { journalLock, type HeldLocks, type LockStore } from "../../contract/ports/locks.js";

/** The turn of one change. */
export interface ChangeTurn {
  /** The lock that processes share; its `fence` is what the store knows the holder by. Absent without shared locks. */
  readonly held?: Pick<HeldLocks, "fence" | "check">;
  /** Others may have held the lock, and left something unfinished, since the last change of this journal. */
  readonly isNew: boolean;
}

/** Stops waiting for the lock. */
export interface Stop {
  /** May be made on first use: only those who wait need it. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the signal has fired. @default what the signal says */
  readonly isAborted?: boolean | undefined;
}

/** Run a function while holding the lock. */
export type WithChangeLock = <Result>(
  body: (turn: ChangeTurn) => Promise<Result>,
  stop?: Stop,
) => Promise<Result>;

export interface ChangeLockOptions {
  readonly locks: LockStore | undefined;
  /** Identifies the workspace. */
  readonly place: string;
  readonly clock: Clock;
}

const maxWaitMs = 20_000;
/** How long the lock is kept after a change, for the next change of a series. */
const lingerMs = 10;

/**
 * Allows one change at a time: in this process in the order of requests, between processes by a lock in the
 * state. No other lock is acquired while it is held, so it cannot deadlock.
 */
export function createChangeLock({ locks, place, clock }: ChangeLockOptions): WithChangeLock {
  let last: Promise<unknown> = Promise.resolve();
  const shared = locks === undefined ? undefined : createSharedLock(locks, place);
  return (body, stop = {}) => {
    const asked = clock.monotonic();
    const turn = last.then(() => {
      if (shared === undefined) return body({ isNew: true });
      // Time spent waiting in this process counts: the wait is limited from the request on.
      const timeoutMs = Math.max(0, maxWaitMs - (clock.monotonic() - asked));
      return shared(body, stop, timeoutMs);
    });
    last = turn.catch(() => {});
    return turn;
  };
}

/** The lock that processes share. It is kept for a moment after a change, unless somebody else waits for it. */
function createSharedLock(locks: LockStore, place: string) {
  let kept: { readonly held: HeldLocks; readonly timer: NodeJS.Timeout } | undefined;
  const acquire = ({ signal }: Stop, timeoutMs: number): Promise<HeldLocks> =>
    locks.acquire([journalLock(place)], { timeoutMs, ...(signal !== undefined && { signal }) });
  // The change is complete either way; a lock that cannot be released now expires.
  const release = (held: HeldLocks): Promise<void> => held.release().catch(() => {});
  const takeKept = async (): Promise<HeldLocks | undefined> => {
    if (kept === undefined) return undefined;
    const { held, timer } = kept;
    kept = undefined;
    clearTimeout(timer);
    if (await held.isAlone().catch(() => false)) return held;
    await release(held);
    return undefined;
  };
  const keep = (held: HeldLocks): void => {
    const giveUp = (): void => {
      kept = undefined;
      void release(held);
    };
    kept = { held, timer: setTimeout(giveUp, lingerMs).unref() };
  };
  return async <Result>(
    body: (turn: ChangeTurn) => Promise<Result>,
    stop: Stop,
    timeoutMs: number,
  ): Promise<Result> => {
    const isAborted = stop.isAborted ?? stop.signal?.aborted === true;
    const known = isAborted ? undefined : await takeKept();
    const held = known ?? (await acquire(stop, timeoutMs));
    try {
      const result = await body({ held, isNew: known === undefined });
      keep(held);
      return result;
    } catch (error) {
      await release(held);
      throw error;
    }
  };
}
