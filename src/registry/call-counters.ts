/** Counts calls up to a limit. */
export interface Counter {
  /** When a call would fit again; `undefined`: now, Infinity: never. */
  freeAt(now: number): number | undefined;
  count(now: number): void;
  used(now: number): number;
  /** When the count goes down next; `undefined` where it never does, or nothing is counted. */
  nextAt(now: number): number | undefined;
}

/** Counts for good. */
export function createTotal(limit: number): Counter {
  let used = 0;
  return {
    freeAt: () => (used < limit ? undefined : Infinity),
    count: () => void used++,
    used: () => used,
    nextAt: () => undefined,
  };
}

/** A sliding time: the times of the calls in it, oldest first. */
export function createWindow(limit: number, windowMs: number): Counter {
  let times: number[] = [];
  let first = 0;
  const forget = (now: number): void => {
    // A clock that was set back must not lock the tool until the old time comes again.
    if ((times.at(-1) ?? now) > now) times = times.map((time) => Math.min(time, now));
    while (first < times.length && (times[first] as number) <= now - windowMs) first++;
    if (first <= 1024 || first * 2 <= times.length) return;
    times = times.slice(first);
    first = 0;
  };
  const nextAt = (now: number): number | undefined => {
    forget(now);
    return first < times.length ? (times[first] as number) + windowMs : undefined;
  };
  return {
    freeAt(now) {
      forget(now);
      if (times.length - first < limit) return undefined;
      return limit === 0 ? Infinity : nextAt(now);
    },
    count: (now) => void times.push(now),
    used(now) {
      forget(now);
      return times.length - first;
    },
    nextAt,
  };
}

/** Parts of a long time: a call counts from its own part until a whole time later, so it is never counted too short. */
const slotsInWindow = 60;

/** A sliding time that is too long to keep each call of it. */
export function createSlots(limit: number, windowMs: number): Counter {
  const slotMs = windowMs / slotsInWindow;
  const slots = new Map<number, number>();
  const forget = (now: number): void => {
    const newest = Math.floor(now / slotMs);
    for (const slot of slots.keys()) {
      // Also what lies ahead, after the clock was set back.
      if (slot < newest - slotsInWindow || slot > newest) slots.delete(slot);
    }
  };
  const used = (now: number): number => {
    forget(now);
    let sum = 0;
    for (const count of slots.values()) sum += count;
    return sum;
  };
  const nextAt = (now: number): number | undefined => {
    forget(now);
    const [oldest] = slots.keys();
    return oldest === undefined ? undefined : (oldest + slotsInWindow + 1) * slotMs;
  };
  return {
    freeAt: (now) => (used(now) < limit ? undefined : limit === 0 ? Infinity : nextAt(now)),
    count(now) {
      const slot = Math.floor(now / slotMs);
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
    },
    used,
    nextAt,
  };
}
