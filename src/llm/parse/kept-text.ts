/** The rest of a text after calls and thoughts are removed. */
export class KeptText {
  readonly #text: string;
  #pieces: string[] = [];
  #from = 0;
  #hasProse = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Take a part out. */
  cut(start: number, end: number): void {
    const piece = this.#text.slice(this.#from, start);
    this.#hasProse ||= piece.trim() !== "";
    this.#pieces.push(piece);
    this.#from = end;
  }

  /** Take everything out that came before. */
  forget(end: number): void {
    this.#pieces = [];
    this.#from = end;
    this.#hasProse = false;
  }

  /** Whether text is kept before a fence, or follows it. */
  surrounds(start: number, end: number): boolean {
    this.#hasProse ||= this.#text.slice(this.#from, start).trim() !== "";
    return this.#hasProse || /^\s*[^\s<`~[{]/.test(this.#text.slice(end));
  }

  rest(): string {
    return [...this.#pieces, this.#text.slice(this.#from)].join("").trim();
  }
}
