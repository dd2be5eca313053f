import type { LockStore } from "../../contract/ports/locks.js";

/** Run a body while nobody else has the turn. */
export type InTurn = <Result>(body: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

const key = "journal";

/**
 * One change at a time: in this process by order of asking, between processes by a lock in the state.
 * Nothing else is asked for while it is held, so it deadlocks with nothing.
 */
export function createTurns(locks: LockStore | undefined): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (body, signal) => {
    const turn = last.then(() => withLock(locks, body, signal));
    last = turn.catch(() => {});
    return turn;
  };
}

async function withLock<Result>(
  locks: LockStore | undefined,
  body: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const requests = [{ key, mode: "exclusive" as const }];
  const held = await locks?.acquire(requests, signal === undefined ? {} : { signal });
  try {
    return await body();
  } finally {
    // The change is over either way; a lock that cannot be given back now is given back later.
    await held?.release().catch(() => {});
  }
}
