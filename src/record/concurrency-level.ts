/** No call runs for thirty years: a longer gap is a clock gone wrong. */
const longestGapMs = 1e12;

/** How many calls run: now, at the peak, and on the mean. */
export class ConcurrencyLevel {
  #running = 0;
  #peak = 0;
  #changedAt = -Infinity;
  /** Milliseconds in which at least one call ran. */
  #busyMs = 0;
  /** The same milliseconds, each as often as calls ran in it. */
  #callMs = 0;

  enter(at: number): void {
    this.#advance(at);
    this.#running += 1;
    if (this.#running > this.#peak) this.#peak = this.#running;
  }

  leave(at: number): void {
    if (this.#running === 0) return;
    this.#advance(at);
    this.#running -= 1;
  }

  /** The mean is weighted by time and covers only the time in which something ran: idle hours say nothing. */
  read(at: number): { now: number; mean: number; peak: number } {
    this.#advance(at);
    const mean = this.#busyMs > 0 ? this.#callMs / this.#busyMs : 0;
    return { now: this.#running, mean, peak: this.#peak };
  }

  /** Forget the past; what runs keeps running. */
  reset(at: number): void {
    this.#advance(at);
    this.#peak = this.#running;
    this.#busyMs = 0;
    this.#callMs = 0;
  }

  #advance(at: number): void {
    const passed = at - this.#changedAt;
    // A clock that stands, steps back or answers NaN adds nothing.
    if (!(passed > 0) || at === Infinity) return;
    this.#changedAt = at;
    if (this.#running === 0 || passed > longestGapMs) return;
    this.#busyMs += passed;
    this.#callMs += passed * this.#running;
  }
}
