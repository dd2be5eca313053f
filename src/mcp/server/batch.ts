/** The answers to one batch, sent together when the last one is there. */
export class Batch {
  readonly #write: (text: string) => void;
  readonly #answers: string[] = [];
  #expected = 0;
  #sealed = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  expect(): void {
    this.#expected++;
  }

  add(text: string): void {
    this.#answers.push(text);
  }

  answer(text: string | undefined): void {
    this.#expected--;
    if (text !== undefined) this.#answers.push(text);
    this.#finish();
  }

  seal(): void {
    this.#sealed = true;
    this.#finish();
  }

  #finish(): void {
    if (!this.#sealed || this.#expected > 0 || this.#answers.length === 0) return;
    this.#write(`[${this.#answers.join(",")}]`);
    this.#answers.length = 0;
  }
}
