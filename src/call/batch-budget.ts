/** The tokens that the answers of a batch share: each gets an equal part of what is left. */
export class BatchBudget {
  #left: number;
  #waiting: number;

  constructor(tokens: number, answers: number) {
    this.#left = tokens;
    this.#waiting = answers;
  }

  /** What the next answer may use. */
  get share(): number {
    return Math.floor(this.#left / Math.max(1, this.#waiting));
  }

  /** An answer was made. */
  spend(tokens: number): void {
    this.#left = Math.max(0, this.#left - tokens);
    this.#waiting--;
  }
}
