import { createIds } from "./ids.js";

/** The ids of calls: each call has one of its own, whatever the caller names it. */
export interface CallIds {
  readonly newId: () => string;
  /** An id for a call that is still to be made, so that the caller knows it beforehand. */
  readonly reserve: () => string;
  /** Whether this id was reserved and not used since; it can be used once. */
  readonly take: (id: string) => boolean;
}

const maxReserved = 10_000;

/** Begin the ids of one process. */
export function createCallIds(): CallIds {
  const newId = createIds("call");
  const reserved = new Set<string>();
  return {
    newId,
    reserve() {
      const id = newId();
      reserved.add(id);
      const [oldest] = reserved;
      if (reserved.size > maxReserved && oldest !== undefined) reserved.delete(oldest);
      return id;
    },
    take: (id) => reserved.delete(id),
  };
}
