/**
 * Time limits on one shared timer, which keeps no process alive.
 *
 * Limits of about the same length share one lane, in order of expiry because they all last equally
 * long; so adding and removing is a step in a linked list, and only the heads of the lanes are checked
 * when the timer fires. A limit is rounded up to its lane, at most 3.2 % of its length and nothing below
 * 64 ms, so none is ever early. Most limits are removed long before; the timer is not touched for them.
 */
export class DeadlineWheel {
  readonly #lanes = new Map<number, Lane>();
  readonly #monotonic: () => number;
  readonly #onTimer = (): void => this.#fire();
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Infinity;
  #closed = false;

  constructor(options: { readonly monotonic: () => number }) {
    this.#monotonic = options.monotonic;
  }

  /** Call `onDeadline` once, `ms` from now; anything that is not a number counts as the maximum. */
  add(ms: number, onDeadline: () => void): Deadline {
    const deadline: LaneEntry = {
      onDeadline,
      due: 0,
      remaining: 0,
      pauses: 0,
      lane: undefined,
      before: undefined,
      after: undefined,
    };
    if (!this.#closed) this.#link(deadline, ms);
    return deadline;
  }

  /** Remove a deadline; one that is gone already is ignored. */
  remove(deadline: Deadline): void {
    const entry = deadline as LaneEntry;
    entry.pauses = 0;
    unlink(entry);
  }

  /** Stop the clock of a deadline, for as long as a person is waited for; pauses can overlap. */
  pause(deadline: Deadline): void {
    const entry = deadline as LaneEntry;
    if (entry.pauses > 0) entry.pauses++;
    if (entry.lane === undefined) return;
    entry.pauses = 1;
    entry.remaining = entry.due - this.#monotonic();
    unlink(entry);
  }

  /** Let the clock of a deadline run on after the last pause ends. */
  resume(deadline: Deadline): void {
    const entry = deadline as LaneEntry;
    if (entry.pauses === 0 || --entry.pauses > 0) return;
    if (!this.#closed) this.#link(entry, entry.remaining);
  }

  /** Remove all deadlines and accept no more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const lane of this.#lanes.values()) {
      while (lane.first !== undefined) unlink(lane.first);
    }
    this.#lanes.clear();
  }

  #link(entry: LaneEntry, ms: number): void {
    const length = toLaneLength(ms);
    let lane = this.#lanes.get(length);
    if (lane === undefined) this.#lanes.set(length, (lane = { first: undefined, last: undefined }));
    entry.due = this.#monotonic() + length;
    entry.lane = lane;
    entry.before = lane.last;
    if (lane.last === undefined) lane.first = entry;
    else lane.last.after = entry;
    lane.last = entry;
    if (entry.due < this.#wakesAt) this.#wake(entry.due);
  }

  #wake(due: number): void {
    clearTimeout(this.#timer);
    this.#wakesAt = due;
    const wait = Math.min(Math.max(Math.ceil(due - this.#monotonic()), 1), maxMs);
    this.#timer = setTimeout(this.#onTimer, wait);
    this.#timer.unref();
  }

  #fire(): void {
    const now = this.#monotonic();
    try {
      for (const lane of this.#lanes.values()) {
        while (lane.first !== undefined && lane.first.due <= now) {
          const entry = lane.first;
          unlink(entry);
          entry.onDeadline();
        }
      }
    } finally {
      // Also where a callback threw: the others must still get their turn.
      this.#wakeForNext();
    }
  }

  #wakeForNext(): void {
    let next = Infinity;
    for (const lane of this.#lanes.values()) {
      if (lane.first !== undefined && lane.first.due < next) next = lane.first.due;
    }
    this.#wakesAt = next;
    if (next < Infinity) this.#wake(next);
  }
}

/** A time limit that is running, paused or over; what is in it is the wheel's own. */
export interface Deadline {
  readonly onDeadline: () => void;
}

interface LaneEntry extends Deadline {
  due: number;
  /** Milliseconds left when it was paused. */
  remaining: number;
  pauses: number;
  /** Undefined while it is paused and when it is over. */
  lane: Lane | undefined;
  before: LaneEntry | undefined;
  after: LaneEntry | undefined;
}

interface Lane {
  first: LaneEntry | undefined;
  last: LaneEntry | undefined;
}

/** The longest wait that a Node timer takes. */
const maxMs = 2 ** 31 - 1;

/** Round up to six significant bits: 1 to 64 exactly, then in steps of 1/32 of a power of two. */
function toLaneLength(ms: number): number {
  if (!(ms < maxMs)) return maxMs;
  const whole = Math.max(Math.ceil(ms), 1);
  const step = 1 << Math.max(31 - Math.clz32(whole) - 5, 0);
  return Math.min(Math.ceil(whole / step) * step, maxMs);
}

function unlink(entry: LaneEntry): void {
  const { lane, before, after } = entry;
  if (lane === undefined) return;
  if (before === undefined) lane.first = after;
  else before.after = after;
  if (after === undefined) lane.last = before;
  else after.before = before;
  entry.lane = undefined;
  entry.before = undefined;
  entry.after = undefined;
}
