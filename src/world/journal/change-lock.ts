import type { Clock } from "../../contract/ports/clock.js";
import { journalLock, type LockStore } from "../../contract/ports/locks.js";

/** A turn that is held. */
export interface HeldChangeLock {
  /** Refuses the writes of a holder that has lost its turn; none where no lock is shared with others. */
  readonly fence?: number;
  /** Throws where another process has taken the turn over. */
  readonly check: () => Promise<void>;
}

/** Run a body while nobody else has the turn. */
export type WithChangeLock = <Result>(
  body: (turn: HeldChangeLock) => Promise<Result>,
  signal?: AbortSignal,
) => Promise<Result>;

export interface ChangeLockOptions {
  readonly locks: LockStore | undefined;
  /** Whose files it is about. */
  readonly place: string;
  readonly clock: Clock;
}

const maxWaitMs = 20_000;

/**
 * One change at a time: in this process by order of asking, between processes by a lock in the state.
 * Nothing else is asked for while it is held, so it deadlocks with nothing.
 */
export function createChangeLock({ locks, place, clock }: ChangeLockOptions): WithChangeLock {
  let last: Promise<unknown> = Promise.resolve();
  return (body, signal) => {
    const asked = clock.monotonic();
    const turn = last.then(async () => {
      if (locks === undefined) return body({ check: async () => {} });
      // What was spent waiting in this process counts: the wait is bounded from the asking.
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
    // The change is over either way; a lock that cannot be given back now is given back later.
    await held.release().catch(() => {});
  }
}
