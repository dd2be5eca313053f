/**
 * The time of the NATS server, as its timestamps tell it. It runs on by this machine's steady clock, so that the
 * wall clock may be wrong; it is never ahead of the server, because a timestamp is old when it arrives.
 */
export class ServerClock {
  readonly #monotonic: () => number;
  #stamp = 0;
  #heardAt = 0;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /** The server wrote something at this time. */
  hear(stamp: number): void {
    if (stamp <= this.now()) return;
    this.#stamp = stamp;
    this.#heardAt = this.#monotonic();
  }

  /** 0 as long as nothing was heard. */
  now(): number {
    return this.#stamp === 0 ? 0 : this.#stamp + (this.#monotonic() - this.#heardAt);
  }
}
