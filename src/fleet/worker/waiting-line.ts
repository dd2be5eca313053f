interface Place<T> {
  readonly value: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
}

/** First come, first served; any of those that wait can leave, at the same cost however many there are. */
export class WaitingLine<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** Wait at the end; the result leaves, once. */
  join(value: T): () => void {
    const place: Place<T> = { value, before: this.#last, after: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.after = place;
    this.#last = place;
    return () => this.#remove(place);
  }

  /** Who waited longest, and waits no longer. */
  shift(): T | undefined {
    const first = this.#first;
    if (first !== undefined) this.#remove(first);
    return first?.value;
  }

  #remove(place: Place<T>): void {
    const { before, after } = place;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
  }
}
